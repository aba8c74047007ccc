// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

#include "kernels/problem/ellpack.hpp"

namespace finegrain::test {

/// The column indices of a matrix; schedules need no values.
struct MatrixPattern {
  std::int64_t rows = 0;
  int r_nz = 0;
  std::vector<std::int32_t> columns;

  problem::EllpackView view() const { return {rows, r_nz, {}, {}, columns}; }
};

/// Each entry of J is any row within `band` of its own, and is padding (the row itself) one time in eight.
inline MatrixPattern banded_pattern(std::int64_t rows, int r_nz, std::int64_t band, std::uint32_t seed) {
  MatrixPattern pattern{rows, r_nz, {}};
  pattern.columns.reserve(static_cast<std::size_t>(rows) * static_cast<std::size_t>(r_nz));
  std::minstd_rand random(seed);
  for (std::int64_t row = 0; row < rows; ++row) {
    for (int entry = 0; entry < r_nz; ++entry) {
      const std::int64_t offset =
          static_cast<std::int64_t>(random() % (2 * static_cast<std::uint64_t>(band) + 1)) - band;
      const bool padding = random() % 8 == 0;
      pattern.columns.push_back(
          static_cast<std::int32_t>(padding ? row : std::clamp<std::int64_t>(row + offset, 0, rows - 1)));
    }
  }
  return pattern;
}

/// Each entry of J is any row.
inline MatrixPattern random_pattern(std::int64_t rows, int r_nz, std::uint32_t seed) {
  MatrixPattern pattern{rows, r_nz, {}};
  std::minstd_rand random(seed);
  for (std::int64_t entry = 0; entry < rows * r_nz; ++entry)
    pattern.columns.push_back(static_cast<std::int32_t>(random() % static_cast<std::uint64_t>(rows)));
  return pattern;
}

}  // namespace finegrain::test
