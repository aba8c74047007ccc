// SPDX-License-Identifier: MIT
#include "kernels/problem/matrix_market.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "kernels/problem/input_text.hpp"
#include "kernels/problem/sparse_entries.hpp"
#include "kernels/problem/text_reader.hpp"
#include "traces/io/input_error.hpp"
#include "traces/io/units.hpp"

namespace finegrain::problem {
namespace {

enum class Field : std::uint8_t { real, complex, integer, pattern };
enum class Symmetry : std::uint8_t { general, symmetric, skew, hermitian };

struct MarketHeader {
  Field field;
  Symmetry symmetry;
  std::int64_t rows;
  std::int64_t entries;  ///< in the file
};

std::string lower_case(std::string_view word) {
  std::string result(word);
  std::transform(result.begin(), result.end(), result.begin(),
                 [](char c) { return 'A' <= c && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return result;
}

Field read_field(TextReader& text) {
  const std::string word = lower_case(text.word());
  if (word == "real" || word == "double") return Field::real;
  if (word == "integer" || word == "unsigned-integer") return Field::integer;
  if (word == "pattern") return Field::pattern;
  if (word == "complex") return Field::complex;
  text.fail("the entries are neither real, complex, integer nor pattern");
}

Symmetry read_symmetry(TextReader& text) {
  const std::string word = lower_case(text.word());
  if (word == "general") return Symmetry::general;
  if (word == "symmetric") return Symmetry::symmetric;
  if (word == "skew-symmetric") return Symmetry::skew;
  if (word == "hermitian") return Symmetry::hermitian;
  text.fail("the matrix is neither general, symmetric, skew-symmetric nor hermitian");
}

/// What to do about a file that would be padded so much.
std::string how_to_allow(const std::string& path, double fill) {
  if (std::ceil(fill) > largest_most_padding)
    return "Leave out rows without entries, or spread the entries over the rows";
  return fmt::format(
      "Allow {0} times the entries if that is meant: finegrain mesh {1} --most-padding {0} --out {2}",
      std::ceil(fill), path, without_compression(path).replace_extension(".fgm").string());
}

/// Called before memory is allocated. @throws InputError if there are too many rows to index or to store
void check_rows(const TextReader& text, const std::string& path, const MarketHeader& header,
                double most_padding) {
  if (header.rows > std::numeric_limits<std::int32_t>::max()) {
    text.fail(fmt::format("{} rows are too many (at most {} can be indexed)", header.rows,
                          std::numeric_limits<std::int32_t>::max()));
  }
  // The least that is stored: one off-diagonal entry in each row.
  const std::int64_t most_nonzeros = (header.symmetry == Symmetry::general ? 1 : 2) * header.entries;
  const EllpackShape least{.rows = header.rows, .nonzeros = most_nonzeros};
  if (!(least.fill() <= most_padding)) {
    text.fail(fmt::format(
        "{} rows with {} entries need at least {:.3g} stored entries for each in EllPack format (at most "
        "{:.4g} are accepted). {}",
        header.rows, header.entries, least.fill(), most_padding, how_to_allow(path, least.fill())));
  }
}

/// Goes to the next line that is no comment. @returns false at the end of the file
bool next_data_line(TextReader& text) {
  do {
    if (!text.next_line()) return false;
  } while (text.peek() == '%');
  return true;
}

std::uint64_t least_entry_bytes(Field field) {
  switch (field) {
    case Field::pattern:
      return sizeof("1 1");
    case Field::complex:
      return sizeof("1 1 1 1");
    default:
      return sizeof("1 1 1");
  }
}

MarketHeader read_header(TextReader& text, const std::string& path, double most_padding) {
  if (!text.next_line() || lower_case(text.word()) != "%%matrixmarket")
    text.fail("not a Matrix Market file (it does not begin with %%MatrixMarket)");
  if (lower_case(text.word()) != "matrix") text.fail("the file holds no matrix");
  const std::string format = lower_case(text.word());
  if (format == "array") text.fail("a dense matrix (array; sparse ones, coordinate, are read)");
  if (format != "coordinate") text.fail("the format is not 'coordinate'");
  MarketHeader header{};
  header.field = read_field(text);
  header.symmetry = read_symmetry(text);
  if (!next_data_line(text)) text.fail("the file ends before the matrix' size (truncated)");
  header.rows = text.integer("number of rows");
  const std::int64_t columns = text.integer("number of columns");
  header.entries = text.integer("number of entries");
  if (header.rows < 1) text.fail(fmt::format("a matrix of {} rows", header.rows));
  if (header.rows != columns)
    text.fail(fmt::format("{} rows and {} columns (only square matrices are read)", header.rows, columns));
  if (header.entries == 0) text.fail("a matrix without entries");
  text.check_count(header.entries, least_entry_bytes(header.field), "entries");
  check_rows(text, path, header, most_padding);
  return header;
}

std::int32_t read_index(TextReader& text, const char* what, std::int64_t rows) {
  const std::int64_t number = text.integer(what);
  if (number < 1 || number > rows)
    text.fail(fmt::format("the {} is {} (the matrix has rows and columns 1 to {}){}", what, number, rows,
                          number == 0 ? ". If the file counts from 0, add 1 to all rows and columns" : ""));
  return static_cast<std::int32_t>(number - 1);
}

/// Reads an entry's value. @param is_complex  set if it has an imaginary part, which is then left out
double read_value(TextReader& text, Field field, bool& is_complex) {
  switch (field) {
    case Field::real:
      return text.real("value");
    case Field::complex: {
      const double real = text.real("real part");
      if (text.real("imaginary part") != 0) is_complex = true;
      return real;
    }
    case Field::integer:
      return static_cast<double>(text.integer("value"));
    case Field::pattern:
      break;
  }
  return 1.0;
}

/// The entries in the order of the file, and whether one of them has an imaginary part.
struct MarketEntries {
  std::vector<SparseEntry> given;
  bool are_complex = false;
};

MarketEntries read_entries(TextReader& text, const MarketHeader& header) {
  MarketEntries entries;
  entries.given.reserve(
      static_cast<std::size_t>(header.symmetry == Symmetry::general ? header.entries : 2 * header.entries));
  for (std::int64_t i = 0; i < header.entries; ++i) {
    if (!next_data_line(text)) {
      text.fail(fmt::format("the file ends after {} of {} entries (truncated, or a wrong count)", i,
                            header.entries));
    }
    SparseEntry entry{};
    entry.row = read_index(text, "row", header.rows);
    entry.column = read_index(text, "column", header.rows);
    entry.value = read_value(text, header.field, entries.are_complex);
    if (header.symmetry == Symmetry::skew && entry.row == entry.column && entry.value != 0)
      text.fail("an entry on the diagonal, which is 0 in a skew-symmetric matrix");
    if (const char next = text.peek(); next != '\0' && next != '%')
      text.fail(
          header.field == Field::pattern
              ? "the line goes on after the column (a pattern has no values: a wrong kind in the first line?)"
              : "the line goes on after the value (a wrong kind in the first line?)");
    entries.given.push_back(entry);
  }
  if (next_data_line(text))
    text.fail(fmt::format("more follows than the {} entries of the header (a wrong count)", header.entries));
  return entries;
}

/// A matrix with a symmetry is given by one of its halves, usually the lower one. Where a file has entries in
/// both, none may be the mirror image of another: its value would count twice.
void check_halves(const std::string& path, const std::vector<SparseEntry>& given) {
  using Place = std::pair<std::int32_t, std::int32_t>;
  std::vector<Place> mirrored;
  for (const SparseEntry& entry : given)
    if (entry.row < entry.column) mirrored.emplace_back(entry.column, entry.row);
  std::sort(mirrored.begin(), mirrored.end());
  if (mirrored.empty()) return;
  for (const SparseEntry& entry : given) {
    if (!std::binary_search(mirrored.begin(), mirrored.end(), Place(entry.row, entry.column))) continue;
    throw InputError(path,
                     fmt::format("entries ({}, {}) and ({}, {}) are both given (a matrix with a symmetry is "
                                 "given by one of its halves)",
                                 entry.row + 1, entry.column + 1, entry.column + 1, entry.row + 1),
                     "Write 'general' in its first line if both halves are there");
  }
}

/// The entries of the whole matrix. @param given  is taken over
std::vector<SparseEntry> with_other_half(std::vector<SparseEntry> given, Symmetry symmetry,
                                         const std::string& path) {
  if (symmetry == Symmetry::general) return given;
  check_halves(path, given);
  const std::size_t count = given.size();
  for (std::size_t i = 0; i < count; ++i) {
    const SparseEntry entry = given[i];
    if (entry.row == entry.column) continue;
    given.push_back({entry.column, entry.row, symmetry == Symmetry::skew ? -entry.value : entry.value});
  }
  return given;
}

void check_padding(const std::string& path, const EllpackShape& shape, double most_padding) {
  if (!(shape.fill() <= most_padding)) {
    throw InputError(
        path,
        fmt::format("row {} has {} off-diagonal entries, and in EllPack format all rows are as long: {:.4g} "
                    "stored entries for each of the matrix (at most {:.4g} are accepted)",
                    shape.longest_row + 1, shape.r_nz, shape.fill(), most_padding),
        how_to_allow(path, shape.fill()));
  }
  const double needed_bytes = static_cast<double>(shape.rows) *
                              (sizeof(double) + shape.r_nz * (sizeof(double) + sizeof(std::int32_t)));
  const double memory_bytes =
      static_cast<double>(::sysconf(_SC_PHYS_PAGES)) * static_cast<double>(::sysconf(_SC_PAGESIZE));
  if (needed_bytes > memory_bytes) {
    throw InputError(path, fmt::format("in EllPack format it needs {} of memory (this machine has {})",
                                       format_size(needed_bytes), format_size(memory_bytes)));
  }
}

}  // namespace

MarketMatrix read_matrix_market(const std::filesystem::path& path, double most_padding) {
  MarketEntries read;
  MarketHeader header{};
  {
    constexpr char no_comment = '\0';  // the first line begins like a comment
    TextReader text(path, no_comment);
    header = read_header(text, path.string(), most_padding);
    read = read_entries(text, header);
  }
  std::vector<SparseEntry> entries = with_other_half(std::move(read.given), header.symmetry, path.string());
  entries = sorted_and_summed(std::move(entries), header.rows);
  const EllpackShape shape = ellpack_shape(entries, header.rows);
  check_padding(path.string(), shape, most_padding);
  return {ellpack_matrix(entries, shape), read.are_complex};
}

}  // namespace finegrain::problem
