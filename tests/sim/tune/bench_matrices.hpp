// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>

#include "kernels/problem/ellpack.hpp"
#include "kernels/problem/row_order.hpp"

namespace finegrain::test {

/// What a matrix of the benchmark is made of.
struct MatrixRecipe {
  enum class Kind : std::uint8_t { ventricle, box7, box27, power_law, banded };
  Kind kind = Kind::ventricle;
  std::int64_t rows = 0;  ///< a box has the next cube
  problem::RowOrder order = problem::RowOrder::none;
  std::uint64_t seed = 1;
};

/// "box27 64000 rcm seed 1"
std::string describe(const MatrixRecipe& recipe);

/// ventricle: tetrahedra of the left ventricle. box7, box27: a cube of points with their neighbours, row by
/// row. power_law: every row reads eight, and the k-th row is read in proportion to k to the power -2/3.
/// banded: every row reads any twelve within 2 % of the rows. Then the rows are put in order.
problem::EllpackMatrix make_matrix(const MatrixRecipe& recipe);

}  // namespace finegrain::test
