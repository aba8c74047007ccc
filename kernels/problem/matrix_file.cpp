// SPDX-License-Identifier: MIT
#include "kernels/problem/matrix_file.hpp"

#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <optional>
#include <type_traits>

#include "kernels/problem/input_format.hpp"
#include "kernels/problem/input_text.hpp"
#include "traces/io/input_error.hpp"

namespace finegrain::problem {
namespace {

constexpr std::array<char, 8> expected_magic{'F', 'G', 'M', 'A', 'T', 'R', 'I', 'X'};
constexpr std::uint32_t current_version = 1;
constexpr std::uint32_t byte_order_mark = 0x01020304;
constexpr std::uint64_t alignment = 4096;
/// Far above any stencil, and small enough that no size computed from it overflows 64 bits.
constexpr std::int64_t max_r_nz = 1 << 20;

struct Section {
  std::uint64_t offset_bytes;
  std::uint64_t size_bytes;
  std::uint64_t checksum;
};

/// The first bytes of the file (docs/matrix-file.md).
struct Header {
  std::array<char, 8> magic;
  std::uint32_t version;
  std::uint32_t byte_order;
  std::int64_t rows;
  std::int64_t r_nz;
  Section diagonal;
  Section columns;
  Section values;
  std::array<char, 256> description;  ///< ends at the first 0 byte
  std::uint64_t checksum;             ///< that of all bytes before it
};
static_assert(std::is_trivially_copyable_v<Header> && sizeof(Header) == 368 &&
              offsetof(Header, checksum) == 360);

std::uint64_t checksum(std::span<const std::byte> bytes) {
  return XXH3_64bits(bytes.data(), bytes.size());
}

std::uint64_t header_checksum(const Header& header) {
  return checksum(std::as_bytes(std::span(&header, 1)).first(offsetof(Header, checksum)));
}

/// Offsets and sizes follow from the shape: D, J, A one after the other, each on a multiple of 4096 bytes.
void lay_out(Header& header) {
  const auto rows = static_cast<std::uint64_t>(header.rows);
  const auto entries = rows * static_cast<std::uint64_t>(header.r_nz);
  std::uint64_t end = sizeof(Header);
  const auto place = [&](Section& section, std::uint64_t size_bytes) {
    section.offset_bytes = (end + alignment - 1) / alignment * alignment;
    section.size_bytes = size_bytes;
    end = section.offset_bytes + size_bytes;
  };
  place(header.diagonal, rows * sizeof(double));
  place(header.columns, entries * sizeof(std::int32_t));
  place(header.values, entries * sizeof(double));
}

[[noreturn]] void fail(const std::string& path, std::uint64_t byte, const std::string& problem) {
  throw InputError(fmt::format("{}: byte {}", path, byte), problem);
}

constexpr const char* advice = "Make it again with finegrain mesh, or copy it again";

Header read_header(const std::string& path, std::span<const std::byte> bytes) {
  Header header{};
  const std::size_t present = std::min(bytes.size(), sizeof(Header));
  if (present > 0) std::memcpy(&header, bytes.data(), present);
  if (present < sizeof(header.magic) || header.magic != expected_magic) {
    if (is_mesh_input(path)) {
      throw InputError(path, "a mesh or a matrix that is no matrix file yet",
                       fmt::format("Make one: finegrain mesh {} --out {}", path,
                                   without_compression(path).replace_extension(".fgm").string()));
    }
    fail(path, 0, "not a matrix file (wrong magic). Make one with finegrain mesh");
  }
  if (present < sizeof(Header)) {
    fail(path, present, fmt::format("the header ends here (it has {} bytes). {}", sizeof(Header), advice));
  }
  if (header.byte_order != byte_order_mark) {
    fail(path, offsetof(Header, byte_order),
         fmt::format("written on a machine of another byte order, or damaged. {}", advice));
  }
  if (header.version != current_version) {
    fail(path, offsetof(Header, version),
         fmt::format("version {} (this finegrain reads version {}). Make it again with this one",
                     header.version, current_version));
  }
  if (header.checksum != header_checksum(header)) {
    fail(path, offsetof(Header, checksum),
         fmt::format("the header does not match its checksum (damaged). {}", advice));
  }
  return header;
}

void check_sizes(const std::string& path, const Header& header, std::uint64_t file_bytes) {
  if (header.rows < 1 || header.rows > std::numeric_limits<std::int32_t>::max()) {
    fail(path, offsetof(Header, rows),
         fmt::format("{} rows (1 to {} can be indexed). {}", header.rows,
                     std::numeric_limits<std::int32_t>::max(), advice));
  }
  if (header.r_nz < 1 || header.r_nz > max_r_nz) {
    fail(path, offsetof(Header, r_nz),
         fmt::format("{} entries a row (1 to {} are possible). {}", header.r_nz, max_r_nz, advice));
  }
  Header expected = header;
  lay_out(expected);
  const auto same = [](const Section& a, const Section& b) {
    return a.offset_bytes == b.offset_bytes && a.size_bytes == b.size_bytes;
  };
  if (!same(header.diagonal, expected.diagonal) || !same(header.columns, expected.columns) ||
      !same(header.values, expected.values)) {
    fail(path, offsetof(Header, diagonal),
         fmt::format("the sections do not fit {} rows of {} entries. {}", header.rows, header.r_nz, advice));
  }
  const std::uint64_t expected_bytes = expected.values.offset_bytes + expected.values.size_bytes;
  if (file_bytes != expected_bytes) {
    fail(path, std::min(file_bytes, expected_bytes),
         fmt::format("{} (the header says {} bytes, the file has {}). {}",
                     file_bytes < expected_bytes ? "truncated" : "data behind the end", expected_bytes,
                     file_bytes, advice));
  }
}

template <typename T>
std::span<const T> section_of(std::span<const std::byte> bytes, const Section& section) {
  return {reinterpret_cast<const T*>(bytes.data() + section.offset_bytes), section.size_bytes / sizeof(T)};
}

/// @param offset_bytes  where the section begins in its file, for the error
void check_section(const std::string& path, const char* name, std::span<const std::byte> section,
                   std::uint64_t offset_bytes, std::uint64_t expected) {
  if (checksum(section) == expected) return;
  fail(path, offset_bytes,
       fmt::format("{}, the {} bytes from here, do not match their checksum (damaged). {}", name,
                   section.size_bytes(), advice));
}

/// First entry of J that is not a row.
std::optional<std::size_t> first_out_of_range(std::span<const std::int32_t> columns, std::int64_t rows) {
  // As unsigned numbers, negative ones are the largest. So one maximum, which compiles to vector code, tells
  // whether all are in range.
  std::uint32_t largest = 0;
  for (const std::int32_t column : columns)
    largest = std::max(largest, static_cast<std::uint32_t>(column));
  if (largest < rows) return std::nullopt;
  const auto found = std::find_if(columns.begin(), columns.end(),
                                  [rows](std::int32_t column) { return column < 0 || column >= rows; });
  return static_cast<std::size_t>(found - columns.begin());
}

}  // namespace

FileKind matrix_file_kind() {
  return {"a matrix file", {".fgm"}, [](std::string_view content) {
            return content.starts_with(std::string_view(expected_magic.data(), expected_magic.size()));
          }};
}

std::string digest_of(std::span<const std::int32_t> columns) {
  return fmt::format("{:016x}", checksum(std::as_bytes(columns)));
}

void write_matrix(const std::filesystem::path& path, const EllpackView& matrix,
                  const std::string& description, const Protection& protection) {
  if (matrix.rows < 1 || matrix.rows > std::numeric_limits<std::int32_t>::max() || matrix.r_nz < 1 ||
      matrix.r_nz > max_r_nz) {
    throw InputError(
        path.string(),
        fmt::format(
            "a matrix of {} rows with {} entries each cannot be stored (1 to {} rows, 1 to {} entries)",
            matrix.rows, matrix.r_nz, std::numeric_limits<std::int32_t>::max(), max_r_nz));
  }
  Header header{};
  header.magic = expected_magic;
  header.version = current_version;
  header.byte_order = byte_order_mark;
  header.rows = matrix.rows;
  header.r_nz = matrix.r_nz;
  if (description.size() >= header.description.size() || description.find('\0') != std::string::npos) {
    throw InputError(path.string(),
                     fmt::format("the description has {} bytes (at most {}, none of them 0)",
                                 description.size(), header.description.size() - 1),
                     "Shorten it");
  }
  std::copy(description.begin(), description.end(), header.description.begin());
  lay_out(header);
  header.diagonal.checksum = checksum(std::as_bytes(matrix.diagonal));
  header.columns.checksum = checksum(std::as_bytes(matrix.columns));
  header.values.checksum = checksum(std::as_bytes(matrix.values));
  header.checksum = header_checksum(header);

  AtomicFile file(path, matrix_file_kind(), protection);
  std::uint64_t written_bytes = 0;
  const auto write_at = [&](std::uint64_t offset_bytes, std::span<const std::byte> bytes) {
    static constexpr std::array<std::byte, alignment> zeros{};
    file.write(std::span(zeros).first(offset_bytes - written_bytes));
    file.write(bytes);
    written_bytes = offset_bytes + bytes.size();
  };
  write_at(0, std::as_bytes(std::span(&header, 1)));
  write_at(header.diagonal.offset_bytes, std::as_bytes(matrix.diagonal));
  write_at(header.columns.offset_bytes, std::as_bytes(matrix.columns));
  write_at(header.values.offset_bytes, std::as_bytes(matrix.values));
  file.commit();
}

MatrixFile::MatrixFile(const std::filesystem::path& path)
    : file_(path), name_(path.filename().string()), path_(path.string()) {
  const std::span<const std::byte> bytes = file_.bytes();
  const Header header = read_header(path_, bytes);
  check_sizes(path_, header, bytes.size());
  view_ = {header.rows, static_cast<int>(header.r_nz), section_of<double>(bytes, header.diagonal),
           section_of<double>(bytes, header.values), section_of<std::int32_t>(bytes, header.columns)};
  check_section(path_, "the column indices (J)", std::as_bytes(view_.columns), header.columns.offset_bytes,
                header.columns.checksum);
  if (const auto entry = first_out_of_range(view_.columns, view_.rows)) {
    const auto r_nz = static_cast<std::size_t>(view_.r_nz);
    fail(path_, header.columns.offset_bytes + *entry * sizeof(std::int32_t),
         fmt::format("row {}, entry {} points at row {} (the matrix has {} rows). {}", *entry / r_nz,
                     *entry % r_nz, view_.columns[*entry], view_.rows, advice));
  }
  const auto end = std::find(header.description.begin(), header.description.end(), '\0');
  description_.assign(header.description.begin(), end);
  digest_ = fmt::format("{:016x}", header.columns.checksum);
  diagonal_checksum_ = header.diagonal.checksum;
  values_checksum_ = header.values.checksum;
}

void MatrixFile::verify_values() const {
  const auto check = [&](const char* name, std::span<const double> section, std::uint64_t expected) {
    const std::span<const std::byte> bytes = std::as_bytes(section);
    check_section(path_, name, bytes, static_cast<std::uint64_t>(bytes.data() - file_.bytes().data()),
                  expected);
  };
  check("the diagonal (D)", view_.diagonal, diagonal_checksum_);
  check("the values (A)", view_.values, values_checksum_);
}

}  // namespace finegrain::problem
