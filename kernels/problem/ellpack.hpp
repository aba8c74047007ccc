// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace finegrain::problem {

/// A sparse matrix in the paper's modified EllPack format (section 3.1, Listing 1): the main diagonal D, and
/// r_nz off-diagonal entries a row, row by row. Padding entries have the value 0 and the row's own index as
/// column.
struct EllpackView {
  std::int64_t rows = 0;
  int r_nz = 0;
  std::span<const double> diagonal;       ///< D, shape [rows]
  std::span<const double> values;         ///< A, shape [rows * r_nz]
  std::span<const std::int32_t> columns;  ///< J, shape [rows * r_nz]
};

/// The same, owning its memory.
struct EllpackMatrix {
  int r_nz = 0;
  std::vector<double> diagonal;
  std::vector<double> values;
  std::vector<std::int32_t> columns;

  EllpackView view() const {
    return {static_cast<std::int64_t>(diagonal.size()), r_nz, diagonal, values, columns};
  }
};

/// y = M x on one core. Source: Listing 1.
/// @pre x and y have matrix.rows elements and do not overlap
void multiply(const EllpackView& matrix, std::span<const double> x, std::span<double> y);

}  // namespace finegrain::problem
