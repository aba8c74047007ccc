// SPDX-License-Identifier: MIT
#include "bench_matrices.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <random>

#include "kernels/problem/left_ventricle_matrix.hpp"

namespace finegrain::test {
namespace {

constexpr std::array<const char*, 5> kind_names{"ventricle", "box7", "box27", "power law", "banded"};

/// Values are of no concern.
problem::EllpackMatrix empty_matrix(std::int64_t rows, int r_nz) {
  problem::EllpackMatrix matrix;
  matrix.r_nz = r_nz;
  matrix.diagonal.assign(static_cast<std::size_t>(rows), 1);
  matrix.values.assign(static_cast<std::size_t>(rows * r_nz), 0);
  matrix.columns.reserve(matrix.values.size());
  return matrix;
}

problem::EllpackMatrix box(std::int64_t rows, bool all_neighbours) {
  const auto edge = static_cast<std::int64_t>(std::ceil(std::cbrt(static_cast<double>(rows)) - 1e-9));
  problem::EllpackMatrix matrix = empty_matrix(edge * edge * edge, all_neighbours ? 26 : 6);
  const auto inside = [&](std::int64_t place) { return place >= 0 && place < edge; };
  for (std::int64_t row = 0; row < edge * edge * edge; ++row) {
    const std::array<std::int64_t, 3> at{row / (edge * edge), row / edge % edge, row % edge};
    for (int code = 0; code < 27; ++code) {
      const std::array<int, 3> step{code / 9 - 1, code / 3 % 3 - 1, code % 3 - 1};
      const int distance = std::abs(step[0]) + std::abs(step[1]) + std::abs(step[2]);
      if (distance == 0 || (distance > 1 && !all_neighbours)) continue;
      const bool there = inside(at[0] + step[0]) && inside(at[1] + step[1]) && inside(at[2] + step[2]);
      const std::int64_t neighbour = row + (step[0] * edge + step[1]) * edge + step[2];
      matrix.columns.push_back(static_cast<std::int32_t>(there ? neighbour : row));
    }
  }
  return matrix;
}

problem::EllpackMatrix power_law(std::int64_t rows, std::uint64_t seed) {
  problem::EllpackMatrix matrix = empty_matrix(rows, 8);
  std::mt19937_64 random(seed);
  for (std::size_t entry = 0; entry < matrix.values.size(); ++entry) {
    const double share = static_cast<double>(random() >> 11) * 0x1p-53;
    matrix.columns.push_back(static_cast<std::int32_t>(static_cast<double>(rows) * share * share * share));
  }
  return matrix;
}

problem::EllpackMatrix banded(std::int64_t rows, std::uint64_t seed) {
  problem::EllpackMatrix matrix = empty_matrix(rows, 12);
  std::mt19937_64 random(seed);
  const std::int64_t band = std::max<std::int64_t>(rows / 50, 1);
  for (std::int64_t row = 0; row < rows; ++row) {
    for (int entry = 0; entry < matrix.r_nz; ++entry) {
      const auto any = static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(2 * band + 1));
      matrix.columns.push_back(
          static_cast<std::int32_t>(std::clamp<std::int64_t>(row + any - band, 0, rows - 1)));
    }
  }
  return matrix;
}

problem::EllpackMatrix in_order(problem::EllpackMatrix matrix, const MatrixRecipe& recipe) {
  if (recipe.order == problem::RowOrder::none) return matrix;
  return renumbered(matrix.view(), permutation(recipe.order, matrix.view(), recipe.seed));
}

}  // namespace

std::string describe(const MatrixRecipe& recipe) {
  return fmt::format("{} {} {} seed {}", kind_names[static_cast<std::size_t>(recipe.kind)], recipe.rows,
                     to_string(recipe.order), recipe.seed);
}

problem::EllpackMatrix make_matrix(const MatrixRecipe& recipe) {
  using enum MatrixRecipe::Kind;
  switch (recipe.kind) {
    case ventricle:
      return left_ventricle_matrix(recipe.rows, recipe.order, recipe.seed);
    case box7:
      return in_order(box(recipe.rows, false), recipe);
    case box27:
      return in_order(box(recipe.rows, true), recipe);
    case power_law:
      return in_order(test::power_law(recipe.rows, recipe.seed), recipe);
    case banded:
      return in_order(test::banded(recipe.rows, recipe.seed), recipe);
  }
  return {};
}

}  // namespace finegrain::test
