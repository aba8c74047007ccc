// SPDX-License-Identifier: MIT
#include "kernels/problem/matrix_facts.hpp"

#include <algorithm>
#include <cstdlib>

namespace finegrain::problem {

MatrixFacts facts_of(const EllpackView& matrix) {
  std::int64_t padding = 0;
  std::int64_t bandwidth = 0;
  std::int64_t total_distance = 0;
#pragma omp parallel for reduction(+ : padding, total_distance) reduction(max : bandwidth)
  for (std::int64_t row = 0; row < matrix.rows; ++row) {
    for (std::int64_t e = row * matrix.r_nz; e < (row + 1) * matrix.r_nz; ++e) {
      const std::int64_t distance = std::abs(matrix.columns[static_cast<std::size_t>(e)] - row);
      padding += distance == 0 ? 1 : 0;
      total_distance += distance;
      bandwidth = std::max(bandwidth, distance);
    }
  }
  const std::int64_t entries = matrix.rows * matrix.r_nz - padding;
  return {padding, bandwidth,
          entries == 0 ? 0.0 : static_cast<double>(total_distance) / static_cast<double>(entries)};
}

}  // namespace finegrain::problem
