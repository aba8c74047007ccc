// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/problem/ellpack.hpp"

namespace finegrain::problem {

struct SparseEntry {
  std::int32_t row;
  std::int32_t column;
  double value;
};

/// Sorts by row, then by column, and sums entries at one place in the order they came in. In time
/// proportional to rows and entries.
/// @pre rows and columns are in 0 ... rows - 1
std::vector<SparseEntry> sorted_and_summed(std::vector<SparseEntry> entries, std::int64_t rows);

/// What a matrix needs in EllPack format, where all rows are as long as the longest.
struct EllpackShape {
  std::int64_t rows = 0;
  int r_nz = 1;                  ///< off-diagonal entries of the longest row; at least 1
  std::int64_t longest_row = 0;  ///< the first row that is that long
  std::int64_t nonzeros = 0;     ///< entries of the matrix, the diagonal's included

  /// Entries stored in D and A for each entry of the matrix.
  double fill() const { return static_cast<double>(rows) * (r_nz + 1.0) / static_cast<double>(nonzeros); }
};

/// @param entries  as from sorted_and_summed()
EllpackShape ellpack_shape(const std::vector<SparseEntry>& entries, std::int64_t rows);

/// Each row's entries in ascending order, then padding; a missing diagonal entry is 0.
/// @param entries  as from sorted_and_summed(), @param shape  their shape
EllpackMatrix ellpack_matrix(const std::vector<SparseEntry>& entries, const EllpackShape& shape);

}  // namespace finegrain::problem
