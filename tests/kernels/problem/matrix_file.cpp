// SPDX-License-Identifier: MIT
#include "kernels/problem/matrix_file.hpp"

#include <xxhash.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstring>
#include <fstream>

#include "kernels/problem/left_ventricle_matrix.hpp"
#include "tests/kernels/problem/temporary_folder.hpp"
#include "traces/io/input_error.hpp"

namespace finegrain::problem {
namespace {

namespace fs = std::filesystem;
using Catch::Contains;
using test::bytes_of;
using test::write_bytes;
using Folder = test::TemporaryFolder;

// docs/matrix-file.md
constexpr std::size_t rows_at = 16;
constexpr std::size_t r_nz_at = 24;
constexpr std::size_t diagonal_section_at = 32;
constexpr std::size_t columns_section_at = 56;
constexpr std::size_t values_section_at = 80;
constexpr std::size_t header_checksum_at = 360;
constexpr std::size_t header_bytes = 368;
constexpr std::size_t diagonal_at = 4096;

EllpackMatrix small_matrix() {
  return {2, {1, 2, 3}, {.1, .2, .3, .4, .5, 0}, {1, 2, 0, 2, 0, 2}};
}

/// A file of small_matrix(), changed byte by byte.
class Damaged {
 public:
  Damaged() : path_(folder_ / "m.fgm") {
    write_matrix(path_, small_matrix().view(), "small");
    bytes_ = bytes_of(path_);
  }

  std::string& bytes() { return bytes_; }

  template <typename T>
  void put(std::size_t at, T value) {
    std::memcpy(bytes_.data() + at, &value, sizeof(value));
  }

  template <typename T>
  T get(std::size_t at) const {
    T value;
    std::memcpy(&value, bytes_.data() + at, sizeof(value));
    return value;
  }

  /// As somebody would who wants the change to be believed.
  void correct_header_checksum() {
    put<std::uint64_t>(header_checksum_at, XXH3_64bits(bytes_.data(), header_checksum_at));
  }

  MatrixFile open() const {
    write_bytes(path_, bytes_);
    return MatrixFile(path_);
  }

  const fs::path& write() const {
    write_bytes(path_, bytes_);
    return path_;
  }

  /// Reads the file with one byte changed. @returns the error, empty if none; then the content is
  /// small_matrix()'s
  std::string error_with(std::size_t at, char changed) const {
    // In place: a file system may wait for the disk where a file is written anew.
    std::fstream bytes(path_, std::ios::binary | std::ios::in | std::ios::out);
    const auto put_byte = [&](char byte) { bytes.seekp(static_cast<std::streamoff>(at)).put(byte).flush(); };
    put_byte(changed);
    const std::string error = error_of_file();
    put_byte(bytes_[at]);
    return error;
  }

  /// The header's bytes and the sections', not those between. Shape [bytes]
  std::vector<bool> bytes_with_content() const {
    std::vector<bool> result(bytes_.size(), false);
    const auto mark = [&](std::size_t begin, std::size_t size) {
      std::fill_n(result.begin() + static_cast<std::ptrdiff_t>(begin), size, true);
    };
    mark(0, header_bytes);
    for (const std::size_t section : {diagonal_section_at, columns_section_at, values_section_at})
      mark(get<std::uint64_t>(section), get<std::uint64_t>(section + 8));
    return result;
  }

 private:
  std::string error_of_file() const {
    try {
      const MatrixFile file(path_);
      file.verify_values();
      const EllpackMatrix expected = small_matrix();
      REQUIRE(std::ranges::equal(file.view().diagonal, expected.diagonal));
      REQUIRE(std::ranges::equal(file.view().columns, expected.columns));
      REQUIRE(std::ranges::equal(file.view().values, expected.values));
      REQUIRE(file.description() == "small");
      return "";
    } catch (const InputError& error) {
      return error.what();
    }
  }

  Folder folder_;
  fs::path path_;
  std::string bytes_;
};

TEST_CASE("matrix file: what was written is read back") {
  const Folder folder;
  const EllpackMatrix matrix = left_ventricle_matrix(5000, RowOrder::sbd, 1);
  write_matrix(folder / "heart.fgm", matrix.view(), "left ventricle, 5000 tetrahedra");
  const MatrixFile file(folder / "heart.fgm");
  file.verify_values();
  REQUIRE(file.name() == "heart.fgm");
  REQUIRE(file.description() == "left ventricle, 5000 tetrahedra");
  REQUIRE(file.view().rows == 5000);
  REQUIRE(file.view().r_nz == 16);
  REQUIRE(std::equal(matrix.diagonal.begin(), matrix.diagonal.end(), file.view().diagonal.begin(),
                     file.view().diagonal.end()));
  REQUIRE(std::equal(matrix.values.begin(), matrix.values.end(), file.view().values.begin(),
                     file.view().values.end()));
  REQUIRE(std::equal(matrix.columns.begin(), matrix.columns.end(), file.view().columns.begin(),
                     file.view().columns.end()));
}

TEST_CASE("matrix file: a matrix of one row with one entry is read back") {
  const Folder folder;
  const EllpackMatrix matrix{1, {1}, {0}, {0}};
  write_matrix(folder / "m.fgm", matrix.view(), "");
  const MatrixFile file(folder / "m.fgm");
  REQUIRE(file.view().rows == 1);
  REQUIRE(file.description().empty());
}

TEST_CASE("matrix file: the view stays valid when the file object moves") {
  const Folder folder;
  write_matrix(folder / "m.fgm", small_matrix().view(), "small");
  MatrixFile file(folder / "m.fgm");
  const MatrixFile moved = std::move(file);
  moved.verify_values();
  REQUIRE(moved.view().diagonal[2] == 3);
}

TEST_CASE("matrix file: its bytes follow from the matrix and the description") {
  const Folder folder;
  write_matrix(folder / "a.fgm", small_matrix().view(), "small");
  write_matrix(folder / "b.fgm", small_matrix().view(), "small");
  REQUIRE(bytes_of(folder / "a.fgm") == bytes_of(folder / "b.fgm"));
}

TEST_CASE("matrix file: the digest is XXH3-64 of J, and of J alone") {
  const Folder folder;
  EllpackMatrix matrix = small_matrix();
  write_matrix(folder / "a.fgm", matrix.view(), "a");
  matrix.values[0] = 7;
  matrix.diagonal[0] = 7;
  write_matrix(folder / "b.fgm", matrix.view(), "b");
  char expected[17];
  std::snprintf(expected, sizeof(expected), "%016llx",
                static_cast<unsigned long long>(
                    XXH3_64bits(matrix.columns.data(), matrix.columns.size() * sizeof(std::int32_t))));
  REQUIRE(MatrixFile(folder / "a.fgm").digest() == expected);
  REQUIRE(MatrixFile(folder / "b.fgm").digest() == expected);
  matrix.columns[0] = 0;
  write_matrix(folder / "c.fgm", matrix.view(), "c");
  REQUIRE(MatrixFile(folder / "c.fgm").digest() != expected);
}

TEST_CASE(
    "matrix file: a missing file, a folder, an empty and a foreign file are input errors that name it") {
  const Folder folder;
  REQUIRE_THROWS_WITH(MatrixFile(folder / "none.fgm"), Contains("none.fgm"));
  REQUIRE_THROWS_AS(MatrixFile(folder / "none.fgm"), InputError);
  REQUIRE_THROWS_AS(MatrixFile(folder / "."), InputError);
  write_bytes(folder / "empty.fgm", "");
  REQUIRE_THROWS_WITH(MatrixFile(folder / "empty.fgm"), Contains("empty.fgm: byte 0: not a matrix file"));
  write_bytes(folder / "foreign.fgm", "%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 1\n");
  REQUIRE_THROWS_WITH(MatrixFile(folder / "foreign.fgm"), Contains("foreign.fgm: byte 0: not a matrix file"));
  REQUIRE_THROWS_AS(MatrixFile(folder / "foreign.fgm"), InputError);
}

TEST_CASE("matrix file: cut anywhere, it is an input error that names the byte") {
  const Damaged file;
  const fs::path path = file.write();
  for (std::size_t length = fs::file_size(path); length-- > 0;) {
    CAPTURE(length);
    fs::resize_file(path, length);
    REQUIRE_THROWS_AS(MatrixFile(path), InputError);
    REQUIRE_THROWS_WITH(MatrixFile(path), Contains("m.fgm: byte "));
  }
}

TEST_CASE("matrix file: without its last byte, it is truncated") {
  Damaged file;
  file.bytes().pop_back();
  REQUIRE_THROWS_WITH(file.open(), Contains("truncated"));
}

TEST_CASE("matrix file: a byte more than the header says is an input error") {
  Damaged file;
  file.bytes().push_back('\0');
  REQUIRE_THROWS_WITH(file.open(), Contains("data behind the end"));
}

TEST_CASE("matrix file: with any byte changed, it is an error that names the byte, or has the same content") {
  Damaged file;
  file.write();
  const std::vector<bool> has_content = file.bytes_with_content();
  for (std::size_t at = 0; at < file.bytes().size(); ++at) {
    // One bit, each in its turn, or all.
    for (const int change : {1 << at % 8, 0xff}) {
      CAPTURE(at, change);
      const std::string error = file.error_with(at, static_cast<char>(file.bytes()[at] ^ change));
      if (has_content[at]) {
        REQUIRE_THAT(error, Contains("m.fgm: byte "));
      } else {
        REQUIRE(error.empty());
      }
    }
  }
}

TEST_CASE("matrix file: another version or byte order is named") {
  Damaged newer;
  newer.put<std::uint32_t>(8, 2);
  newer.correct_header_checksum();
  REQUIRE_THROWS_WITH(newer.open(), Contains("byte 8: version 2 (this finegrain reads version 1)"));
  Damaged foreign;
  foreign.put<std::uint32_t>(12, 0x04030201);
  REQUIRE_THROWS_WITH(foreign.open(), Contains("byte 12: written on a machine of another byte order"));
}

TEST_CASE("matrix file: a flipped byte of J is found on opening") {
  Damaged file;
  file.bytes()[file.get<std::uint64_t>(columns_section_at) + 5] ^= 1;
  REQUIRE_THROWS_WITH(file.open(), Contains("column indices (J)") && Contains("checksum"));
}

TEST_CASE("matrix file: a flipped byte of D or A is found by verify_values()") {
  const auto [section_at, name] =
      GENERATE(table<std::size_t, std::string>({{diagonal_section_at, "(D)"}, {values_section_at, "(A)"}}));
  Damaged file;
  const auto at = file.get<std::uint64_t>(section_at);
  file.bytes()[at + 3] ^= 1;
  const MatrixFile opened = file.open();
  REQUIRE_THROWS_AS(opened.verify_values(), InputError);
  REQUIRE_THROWS_WITH(opened.verify_values(), Contains(name) && Contains("byte " + std::to_string(at) + ":"));
}

TEST_CASE("matrix file: an index that is no row is an input error with row, entry and byte") {
  const std::int32_t wrong = GENERATE(3, -1, 2147483647, -2147483647 - 1);
  const Folder folder;
  EllpackMatrix matrix = small_matrix();
  matrix.columns[2 * 1 + 1] = wrong;  // row 1, entry 1
  write_matrix(folder / "m.fgm", matrix.view(), "wrong");
  // D has three doubles, so J begins at the next multiple of 4096.
  REQUIRE_THROWS_WITH(
      MatrixFile(folder / "m.fgm"),
      Contains("byte " + std::to_string(2 * 4096 + 4 * 3) + ": row 1, entry 1 points at row " +
               std::to_string(wrong) + " (the matrix has 3 rows)"));
  REQUIRE_THROWS_AS(MatrixFile(folder / "m.fgm"), InputError);
}

TEST_CASE("matrix file: numbers of rows and entries that cannot be are input errors, checksum or not") {
  const auto [at, value] = GENERATE(table<std::size_t, std::int64_t>({{rows_at, 0},
                                                                      {rows_at, -1},
                                                                      {rows_at, 4},
                                                                      {rows_at, 2'147'483'647},
                                                                      {rows_at, 2'147'483'648},
                                                                      {rows_at, INT64_MAX},
                                                                      {r_nz_at, 0},
                                                                      {r_nz_at, -1},
                                                                      {r_nz_at, 3},
                                                                      {r_nz_at, 1 << 20},
                                                                      {r_nz_at, INT64_MAX}}));
  Damaged file;
  file.put<std::int64_t>(at, value);
  file.correct_header_checksum();
  REQUIRE_THROWS_AS(file.open(), InputError);
}

TEST_CASE("matrix file: sections elsewhere than rows and entries say are input errors, checksum or not") {
  const std::size_t section = GENERATE(diagonal_section_at, columns_section_at, values_section_at);
  const std::size_t field = GENERATE(0, 8);  // offset, size
  const std::uint64_t value = GENERATE(std::uint64_t{0}, std::uint64_t{8192 + 8}, std::uint64_t{1} << 40,
                                       UINT64_MAX, UINT64_MAX - 4095);
  Damaged file;
  file.put<std::uint64_t>(section + field, value);
  file.correct_header_checksum();
  REQUIRE_THROWS_AS(file.open(), InputError);
}

TEST_CASE(
    "matrix file: a header that asks for more than the file has is an input error, though it fits "
    "itself") {
  Damaged file;
  const std::uint64_t rows = 2'000'000'000;
  const auto aligned = [](std::uint64_t at) { return (at + 4095) / 4096 * 4096; };
  const std::uint64_t columns_at = aligned(diagonal_at + 8 * rows);
  const std::uint64_t values_at = aligned(columns_at + 8 * rows);
  file.put<std::uint64_t>(rows_at, rows);
  file.put<std::uint64_t>(diagonal_section_at + 8, 8 * rows);
  file.put<std::uint64_t>(columns_section_at, columns_at);
  file.put<std::uint64_t>(columns_section_at + 8, 8 * rows);
  file.put<std::uint64_t>(values_section_at, values_at);
  file.put<std::uint64_t>(values_section_at + 8, 16 * rows);
  file.correct_header_checksum();
  REQUIRE_THROWS_WITH(file.open(), Contains("truncated"));
}

TEST_CASE("matrix file: a description of 255 bytes is kept, a longer one an input error") {
  const Folder folder;
  write_matrix(folder / "m.fgm", small_matrix().view(), std::string(255, 'x'));
  REQUIRE(MatrixFile(folder / "m.fgm").description() == std::string(255, 'x'));
  REQUIRE_THROWS_AS(write_matrix(folder / "m.fgm", small_matrix().view(), std::string(256, 'x')), InputError);
}

TEST_CASE("matrix file: a failed write leaves the file that was there, and nothing else") {
  const Folder folder;
  write_matrix(folder / "m.fgm", small_matrix().view(), "first");
  EllpackView none = small_matrix().view();
  none.rows = 0;
  REQUIRE_THROWS_AS(write_matrix(folder / "m.fgm", none, "second"), InputError);
  REQUIRE(MatrixFile(folder / "m.fgm").description() == "first");
  REQUIRE(folder.files() == 1);
}

TEST_CASE("matrix file: a folder that does not exist is an input error") {
  const Folder folder;
  REQUIRE_THROWS_AS(write_matrix(folder / "no/such/m.fgm", small_matrix().view(), ""), InputError);
}

}  // namespace
}  // namespace finegrain::problem
