// SPDX-License-Identifier: MIT
#include <catch2/catch.hpp>

#include "kernels/problem/left_ventricle_matrix.hpp"
#include "kernels/problem/matrix_facts.hpp"

namespace finegrain::problem {
namespace {

TEST_CASE("at the size of the papers' first mesh, 11 to 14 % of the entries are padding") {
  const EllpackMatrix matrix = left_ventricle_matrix(6'810'586, RowOrder::none, 1);
  REQUIRE(matrix.view().rows == 6'810'586);
  const double share = static_cast<double>(facts_of(matrix.view()).padding_entries) / (16 * 6'810'586.);
  REQUIRE(share > 0.11);
  REQUIRE(share < 0.14);
}

}  // namespace
}  // namespace finegrain::problem
