// SPDX-License-Identifier: MIT
#include "kernels/problem/matrix_market.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "kernels/problem/sparse_entries.hpp"
#include "kernels/problem/text_reader.hpp"
#include "traces/io/input_error.hpp"
#include "traces/io/units.hpp"

namespace finegrain::problem {
namespace {

enum class Field : std::uint8_t { real, integer, pattern };
enum class Symmetry : std::uint8_t { general, symmetric };

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
  if (word == "integer") return Field::integer;
  if (word == "pattern") return Field::pattern;
  if (word == "complex") text.fail("a complex matrix (real, integer and pattern are read)");
  text.fail("the entries are neither real, integer nor pattern");
}

Symmetry read_symmetry(TextReader& text) {
  const std::string word = lower_case(text.word());
  if (word == "general") return Symmetry::general;
  if (word == "symmetric") return Symmetry::symmetric;
  if (word == "hermitian" || word == "skew-symmetric")
    text.fail(fmt::format("a {} matrix (general and symmetric are read)", word));
  text.fail("the matrix is neither general nor symmetric");
}

/// Called before memory is allocated. @throws InputError if there are too many rows to index or to store
void check_rows(const TextReader& text, const MarketHeader& header, double most_padding) {
  if (header.rows > std::numeric_limits<std::int32_t>::max()) {
    text.fail(fmt::format("{} rows are too many (at most {} can be indexed)", header.rows,
                          std::numeric_limits<std::int32_t>::max()));
  }
  // The least that is stored: one off-diagonal entry in each row.
  const std::int64_t most_nonzeros = (header.symmetry == Symmetry::symmetric ? 2 : 1) * header.entries;
  const EllpackShape least{.rows = header.rows, .nonzeros = most_nonzeros};
  if (!(least.fill() <= most_padding)) {
    text.fail(fmt::format(
        "{} rows with {} entries need {:.3g} stored entries for each in EllPack format (at most {:.4g} "
        "are accepted). Allow more (most-padding) if that is meant",
        header.rows, header.entries, least.fill(), most_padding));
  }
}

MarketHeader read_header(TextReader& text, double most_padding) {
  if (!text.next_line() || lower_case(text.word()) != "%%matrixmarket")
    text.fail("not a Matrix Market file (it does not begin with %%MatrixMarket)");
  if (lower_case(text.word()) != "matrix") text.fail("the file holds no matrix");
  const std::string format = lower_case(text.word());
  if (format == "array") text.fail("a dense matrix (array; sparse ones, coordinate, are read)");
  if (format != "coordinate") text.fail("the format is not 'coordinate'");
  MarketHeader header{};
  header.field = read_field(text);
  header.symmetry = read_symmetry(text);
  do {
    if (!text.next_line()) text.fail("the file ends before the matrix' size (truncated)");
  } while (text.peek() == '%');
  header.rows = text.integer("number of rows");
  const std::int64_t columns = text.integer("number of columns");
  header.entries = text.integer("number of entries");
  if (header.rows < 1) text.fail(fmt::format("a matrix of {} rows", header.rows));
  if (header.rows != columns)
    text.fail(fmt::format("{} rows and {} columns (only square matrices are read)", header.rows, columns));
  if (header.entries == 0) text.fail("a matrix without entries");
  text.check_count(header.entries, header.field == Field::pattern ? sizeof("1 1") : sizeof("1 1 1"),
                   "entries");
  check_rows(text, header, most_padding);
  return header;
}

std::int32_t read_index(TextReader& text, const char* what, std::int64_t rows) {
  const std::int64_t number = text.integer(what);
  if (number < 1 || number > rows)
    text.fail(fmt::format("the {} is {} (the matrix has rows and columns 1 to {})", what, number, rows));
  return static_cast<std::int32_t>(number - 1);
}

double read_value(TextReader& text, Field field) {
  switch (field) {
    case Field::real:
      return text.real("value");
    case Field::integer:
      return static_cast<double>(text.integer("value"));
    case Field::pattern:
      break;
  }
  return 1.0;
}

std::vector<SparseEntry> read_entries(TextReader& text, const MarketHeader& header) {
  std::vector<SparseEntry> entries;
  entries.reserve(
      static_cast<std::size_t>(header.symmetry == Symmetry::symmetric ? 2 * header.entries : header.entries));
  for (std::int64_t i = 0; i < header.entries; ++i) {
    if (!text.next_line()) {
      text.fail(fmt::format("the file ends after {} of {} entries (truncated, or a wrong count)", i,
                            header.entries));
    }
    SparseEntry entry{};
    entry.row = read_index(text, "row", header.rows);
    entry.column = read_index(text, "column", header.rows);
    entry.value = read_value(text, header.field);
    entries.push_back(entry);
    if (header.symmetry == Symmetry::general || entry.row == entry.column) continue;
    if (entry.row < entry.column)
      text.fail("an entry above the diagonal (a symmetric matrix is given by those on and below it)");
    entries.push_back({entry.column, entry.row, entry.value});
  }
  if (text.next_line())
    text.fail(fmt::format("more follows than the {} entries of the header (a wrong count)", header.entries));
  return entries;
}

void check_padding(const std::string& path, const EllpackShape& shape, double most_padding) {
  if (!(shape.fill() <= most_padding)) {
    throw InputError(
        path,
        fmt::format("row {} has {} off-diagonal entries, and in EllPack format all rows are as long: {:.4g} "
                    "stored entries for each of the matrix (at most {:.4g} are accepted)",
                    shape.longest_row + 1, shape.r_nz, shape.fill(), most_padding),
        fmt::format("Allow {} times the entries (most-padding) if that is meant", std::ceil(shape.fill())));
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

EllpackMatrix read_matrix_market(const std::filesystem::path& path, double most_padding) {
  std::vector<SparseEntry> entries;
  std::int64_t rows = 0;
  {
    constexpr char no_comment = '\0';  // comment lines stand before the size only
    TextReader text(path, no_comment);
    const MarketHeader header = read_header(text, most_padding);
    entries = read_entries(text, header);
    rows = header.rows;
  }
  entries = sorted_and_summed(std::move(entries), rows);
  const EllpackShape shape = ellpack_shape(entries, rows);
  check_padding(path.string(), shape, most_padding);
  return ellpack_matrix(entries, shape);
}

}  // namespace finegrain::problem
