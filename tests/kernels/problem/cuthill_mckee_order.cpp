// SPDX-License-Identifier: MIT
#include "kernels/problem/cuthill_mckee_order.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <numeric>
#include <random>

#include "kernels/problem/matrix_facts.hpp"
#include "kernels/problem/row_order.hpp"

namespace finegrain::problem {
namespace {

using Numbers = std::vector<std::int32_t>;

EllpackMatrix matrix_of(std::vector<Numbers> rows, int r_nz) {
  Numbers columns;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    rows[i].resize(static_cast<std::size_t>(r_nz), static_cast<std::int32_t>(i));
    columns.insert(columns.end(), rows[i].begin(), rows[i].end());
  }
  return {r_nz, std::vector<double>(rows.size(), 1), std::vector<double>(columns.size()), columns};
}

/// The five-point stencil on a grid.
EllpackMatrix grid(int width, int height) {
  std::vector<Numbers> rows;
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      Numbers row;
      if (y > 0) row.push_back((y - 1) * width + x);
      if (x > 0) row.push_back(y * width + x - 1);
      if (x + 1 < width) row.push_back(y * width + x + 1);
      if (y + 1 < height) row.push_back((y + 1) * width + x);
      rows.push_back(row);
    }
  }
  return matrix_of(std::move(rows), 4);
}

EllpackMatrix scattered(const EllpackMatrix& matrix) {
  return renumbered(matrix.view(), permutation(RowOrder::random, matrix.view(), 1));
}

std::int64_t bandwidth_after(const EllpackMatrix& matrix, PatternSymmetry symmetry) {
  const Numbers order = reverse_cuthill_mckee_order(matrix.columns, matrix.r_nz, symmetry);
  Numbers sorted = order;
  std::sort(sorted.begin(), sorted.end());
  Numbers all(matrix.diagonal.size());
  std::iota(all.begin(), all.end(), 0);
  REQUIRE(sorted == all);
  return facts_of(renumbered(matrix.view(), order).view()).bandwidth;
}

TEST_CASE("reverse Cuthill-McKee: a scattered grid's bandwidth becomes about its shorter side") {
  const EllpackMatrix matrix = scattered(grid(90, 30));
  REQUIRE(facts_of(matrix.view()).bandwidth > 2000);
  // Its levels are diagonals of the grid, of at most 30 rows.
  REQUIRE(bandwidth_after(matrix, PatternSymmetry::symmetric) <= 30 + 1);
  REQUIRE(bandwidth_after(matrix, PatternSymmetry::any) <= 30 + 1);
}

TEST_CASE("reverse Cuthill-McKee: of a pattern that is not symmetric, that of both directions counts") {
  // A chain, each row coupled to the next one only.
  std::vector<Numbers> rows;
  for (std::int32_t i = 0; i < 500; ++i)
    rows.push_back(i + 1 < 500 ? Numbers{i + 1} : Numbers{});
  REQUIRE(bandwidth_after(scattered(matrix_of(rows, 1)), PatternSymmetry::any) == 1);
}

TEST_CASE("reverse Cuthill-McKee: parts that do not touch are each put in order") {
  std::vector<Numbers> rows;
  for (std::int32_t i = 0; i < 400; ++i) {  // four chains
    Numbers row;
    if (i % 100 > 0) row.push_back(i - 1);
    if (i % 100 < 99) row.push_back(i + 1);
    rows.push_back(row);
  }
  REQUIRE(bandwidth_after(scattered(matrix_of(rows, 2)), PatternSymmetry::symmetric) == 1);
}

TEST_CASE("reverse Cuthill-McKee: a million rows without neighbours are no obstacle") {
  REQUIRE(bandwidth_after(matrix_of(std::vector<Numbers>(1'000'000), 1), PatternSymmetry::symmetric) == 0);
}

}  // namespace
}  // namespace finegrain::problem
