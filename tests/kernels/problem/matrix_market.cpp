// SPDX-License-Identifier: MIT
#include "kernels/problem/matrix_market.hpp"

#include <catch2/catch.hpp>

#include "tests/kernels/problem/temporary_folder.hpp"
#include "traces/io/input_error.hpp"

namespace finegrain::problem {
namespace {

using Catch::Contains;

MarketMatrix market(const std::string& text, double most_padding = usual_most_padding) {
  const test::TemporaryFolder folder;
  test::write_bytes(folder / "m.mtx", text);
  return read_matrix_market(folder / "m.mtx", most_padding);
}

EllpackMatrix read(const std::string& text, double most_padding = usual_most_padding) {
  return market(text, most_padding).matrix;
}

void require_refused(const std::string& text, const std::string& where, const std::string& problem) {
  CAPTURE(text);
  REQUIRE_THROWS_AS(read(text), InputError);
  REQUIRE_THROWS_WITH(read(text), Contains("/m.mtx" + where + ": ") && Contains(problem));
}

using Columns = std::vector<std::int32_t>;
using Values = std::vector<double>;

TEST_CASE(
    "Matrix Market: of a general matrix, rows in ascending order, then padding, no diagonal entry is 0") {
  const EllpackMatrix matrix = read(
      "%%MatrixMarket matrix coordinate real general\n% a comment\n%another\n\n 3 3 5\n"
      "1 3 0.3\n3 3 9\n1 1 0.5\n\n2 1 -2e-1\r\n1 2 +4\n");
  REQUIRE(matrix.r_nz == 2);
  REQUIRE(matrix.diagonal == Values{0.5, 0, 9});
  REQUIRE(matrix.columns == Columns{1, 2, 0, 1, 2, 2});
  REQUIRE(matrix.values == Values{4, 0.3, -0.2, 0, 0, 0});
}

TEST_CASE("Matrix Market: entries at one place are summed and count once") {
  const EllpackMatrix matrix = read(
      "%%MatrixMarket matrix coordinate integer general\n2 2 6\n1 2 3\n1 2 4\n2 1 1\n1 1 5\n1 2 -1\n1 1 6\n");
  REQUIRE(matrix.r_nz == 1);
  REQUIRE(matrix.diagonal == Values{5 + 6, 0});
  REQUIRE(matrix.values == Values{3 + 4 - 1, 1});
}

TEST_CASE("Matrix Market: a symmetric matrix is given by its lower half") {
  const EllpackMatrix matrix =
      read("%%MatrixMarket matrix coordinate real symmetric\n3 3 4\n1 1 2\n2 1 -1\n3 2 -1\n3 2 -1\n");
  REQUIRE(matrix.diagonal == Values{2, 0, 0});
  REQUIRE(matrix.columns == Columns{1, 0, 0, 2, 1, 2});
  REQUIRE(matrix.values == Values{-1, 0, -1, -1 - 1, -1 - 1, 0});
}

TEST_CASE("Matrix Market: a symmetric matrix may be given by its upper half") {
  const EllpackMatrix matrix =
      read("%%MatrixMarket matrix coordinate real symmetric\n3 3 3\n1 1 2\n1 2 -1\n2 3 -4\n");
  REQUIRE(matrix.columns == Columns{1, 0, 0, 2, 1, 2});
  REQUIRE(matrix.values == Values{-1, 0, -1, -4, -4, 0});
}

TEST_CASE("Matrix Market: the other half of a skew-symmetric matrix has the other sign") {
  for (const char* entry : {"2 1 3", "1 2 -3"}) {
    const EllpackMatrix matrix =
        read("%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 1\n" + std::string(entry) + "\n");
    REQUIRE(matrix.diagonal == Values{0, 0});
    REQUIRE(matrix.values == Values{-3, 3});
  }
}

TEST_CASE("Matrix Market: a complex matrix has its real parts, and says so unless it has no others") {
  const std::string hermitian = "%%MatrixMarket matrix coordinate complex hermitian\n2 2 2\n1 1 5 0\n2 1 3 ";
  const MarketMatrix complex = market(hermitian + "-4\n");
  REQUIRE(complex.is_complex);
  REQUIRE(complex.matrix.diagonal == Values{5, 0});
  REQUIRE(complex.matrix.values == Values{3, 3});
  REQUIRE_FALSE(market(hermitian + "0\n").is_complex);
  REQUIRE(market("%%MatrixMarket matrix coordinate complex general\n2 2 1\n2 1 3 1\n").matrix.values ==
          Values{0, 3});
}

TEST_CASE("Matrix Market: numbers may be as Fortran writes them, and too small for a double") {
  const EllpackMatrix matrix = read(
      "%%MatrixMarket matrix coordinate real general\n3 3 6\n"
      "1 2 1.5D-03\n1 3 -2d2\n2 1 1e-400\n2 3 .5\n3 1 1.25-103\n3 2 +4.D+00\n");
  REQUIRE(matrix.values == Values{1.5e-3, -200, 0, 0.5, 1.25e-103, 4});
}

TEST_CASE("Matrix Market: comments and blank lines may stand between entries and behind them") {
  const EllpackMatrix matrix = read(
      "%%MatrixMarket matrix coordinate real general\r\n%\r\n2 2 2\r\n% the first\r\n1 2 3 % three\r\n\r\n"
      "%%the second\r\n2 1 4\r\n% end\r\n");
  REQUIRE(matrix.values == Values{3, 4});
}

TEST_CASE("Matrix Market: a byte order mark is passed over, and UTF-16 is refused by name") {
  const std::string text = "%%MatrixMarket matrix coordinate real general\n2 2 1\n2 1 4\n";
  REQUIRE(read("\xef\xbb\xbf" + text).values == Values{0, 4});
  require_refused("\xff\xfe%\0", "", "text in UTF-16");
}

TEST_CASE("Matrix Market: lines may end in carriage returns alone") {
  REQUIRE(read("%%MatrixMarket matrix coordinate real general\r2 2 1\r2 1 4\r").values == Values{0, 4});
}

/// The output of `printf '%%MatrixMarket matrix coordinate real general\n2 2 1\n2 1 4\n' | gzip -n`.
const std::string gzipped = {
    "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03\x53\x55\xf5\x4d\x2c\x29\xca\xac\xf0\x4d"
    "\x2c\xca\x4e\x2d\x51\xc8\x05\x73\x14\x92\xf3\xf3\x8b\x52\x32\xf3\x12\x4b\x52\x15"
    "\x8a\x52\x13\x73\x14\xd2\x53\xf3\x52\x8b\x12\x73\xb8\x8c\x14\x8c\x14\x0c\x81\xa4"
    "\xa1\x82\x09\x17\x00\x64\x92\xd4\xec\x3a\x00\x00\x00",
    73};

TEST_CASE("Matrix Market: a file that is packed with gzip is read, unless it is damaged") {
  REQUIRE(read(gzipped).values == Values{0, 4});
  require_refused(gzipped.substr(0, gzipped.size() - 12), "", "cannot be unpacked");
}

TEST_CASE("Matrix Market: rows that are counted from 0 are refused with that reason") {
  require_refused("%%MatrixMarket matrix coordinate real general\n2 2 1\n0 1 3\n", ":3",
                  "If the file counts from 0, add 1");
}

TEST_CASE("Matrix Market: the entries of a pattern are 1, and words are read in any case") {
  const EllpackMatrix matrix = read("%%matrixmarket MATRIX Coordinate Pattern Symmetric\n2 2 2\n2 2\n2 1\n");
  REQUIRE(matrix.diagonal == Values{0, 1});
  REQUIRE(matrix.values == Values{1, 1});
}

TEST_CASE("Matrix Market: an entry that is 0 is an entry") {
  REQUIRE(read("%%MatrixMarket matrix coordinate real general\n2 2 2\n1 2 0\n2 1 1\n").columns ==
          Columns{1, 0});
}

TEST_CASE("Matrix Market: of a diagonal matrix, r_nz is 1 and J padding") {
  const EllpackMatrix matrix = read("%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 3\n2 2 4\n");
  REQUIRE(matrix.r_nz == 1);
  REQUIRE(matrix.columns == Columns{0, 1});
  REQUIRE(matrix.values == Values{0, 0});
}

TEST_CASE("Matrix Market: kinds that are not read are named") {
  const auto refused = [](const std::string& kind, const std::string& problem) {
    require_refused("%%MatrixMarket " + kind + "\n1 1 1\n1 1 1 1\n", ":1", problem);
  };
  refused("matrix coordinate real triangular", "neither general, symmetric, skew-symmetric nor hermitian");
  refused("matrix array real general", "a dense matrix");
  refused("vector coordinate real general", "no matrix");
  refused("matrix coordinate", "neither real, complex, integer nor pattern");
  require_refused("1 1 1\n1 1 1\n", ":1", "does not begin with %%MatrixMarket");
  require_refused("", ":1", "does not begin with %%MatrixMarket");
}

TEST_CASE("Matrix Market: what is wrong is named by file and line") {
  const std::string real = "%%MatrixMarket matrix coordinate real general\n";
  require_refused(real, ":1", "truncated");
  require_refused(real + "2 3 1\n1 1 1\n", ":2", "2 rows and 3 columns");
  require_refused(real + "0 0 0\n", ":2", "a matrix of 0 rows");
  require_refused(real + "2 2\n", ":2", "number of entries is missing");
  require_refused(real + "2 2 0\n", ":2", "without entries");
  require_refused(real + "2 2 2\n1 2 3\n", ":2", "2 entries cannot be");
  require_refused(real + "2 2 2\n1 2 3.000000\n", ":3", "after 1 of 2 entries");
  require_refused(real + "2 2 1\n1 2 3\n2 2 1\n", ":4", "more follows");
  require_refused(real + "2 2 1\n1 3 3\n", ":3", "the column is 3");
  require_refused(real + "2 2 1\n0 1 3\n", ":3", "the row is 0");
  require_refused(real + "2 2 1\n1 2 NaN\n", ":3", "the value is nan");
  require_refused(real + "2 2 1\n1 2 one\n", ":3", "'one' is not a number");
  require_refused(real + "2 2 1\n1 2     \n", ":3", "the value is missing");
  require_refused("%%MatrixMarket matrix coordinate integer general\n2 2 1\n1 2 1.5\n", ":3",
                  "'1.5' is not a whole number");
  require_refused(real + "2 2 1\n1 2 1.5 2.5\n", ":3", "the line goes on after the value");
  require_refused(real + "2 2 1\n1 2 1e400\n", ":3", "does not fit a double");
  require_refused("%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 1\n1 1 1.5\n", ":3",
                  "an entry on the diagonal");
  require_refused("%%MatrixMarket matrix coordinate real symmetric\n3 3 3\n3 1 1\n2 1 2\n1 2 2\n", "",
                  "entries (2, 1) and (1, 2) are both given");
}

TEST_CASE("Matrix Market: sizes that the file cannot hold are refused before memory is asked for") {
  const std::string real = "%%MatrixMarket matrix coordinate real general\n";
  require_refused(real + "2 2 9000000000000000000\n1 2 3\n", ":2", "a wrong count");
  require_refused(real + "2000000000 2000000000 1\n1 2 3\n", ":2", "Leave out rows without entries");
  // 100 rows of at least two entries each are 200, for one of the matrix.
  require_refused(real + "100 100 1\n1 2 3\n", ":2", "m.mtx --most-padding 200 --out");
  require_refused(real + "9000000000 9000000000 1\n1 2 3\n", ":2", "too many");
}

/// An arrow: the first of 100 rows is full, the others have their diagonal only.
std::string arrow() {
  std::string text = "%%MatrixMarket matrix coordinate pattern general\n100 100 199\n";
  for (int i = 1; i <= 100; ++i)
    text += std::to_string(i) + " " + std::to_string(i) + "\n";
  for (int i = 2; i <= 100; ++i)
    text += "1 " + std::to_string(i) + "\n";
  return text;
}

TEST_CASE(
    "Matrix Market: too much padding is refused with its row and the fill, and accepted where asked for") {
  // 100 rows of 1 + 99 entries are stored for 199.
  require_refused(arrow(), "", "row 1 has 99 off-diagonal entries");
  require_refused(arrow(), "", "50.25 stored entries for each");
  require_refused(arrow(), "", "Allow 51 times");
  REQUIRE(read(arrow(), 51).r_nz == 99);
  REQUIRE_THROWS_AS(read(arrow(), 50), InputError);
}

}  // namespace
}  // namespace finegrain::problem
