// SPDX-License-Identifier: MIT
#include "kernels/problem/matrix_facts.hpp"

#include <catch2/catch.hpp>

namespace finegrain::problem {
namespace {

TEST_CASE("matrix facts: of three rows with two entries each, one of them padding") {
  const EllpackMatrix matrix{2, {1, 1, 1}, {1, 1, 1, 1, 1, 0}, {1, 2, 0, 2, 0, 2}};
  const MatrixFacts facts = facts_of(matrix.view());
  REQUIRE(facts.padding_entries == 1);
  REQUIRE(facts.bandwidth == 2);
  REQUIRE(facts.mean_distance == Approx((1 + 2 + 1 + 1 + 2) / 5.));
}

TEST_CASE("matrix facts: of nothing but padding, the mean distance is 0") {
  const EllpackMatrix matrix{1, {1}, {0}, {0}};
  REQUIRE(facts_of(matrix.view()).mean_distance == 0);
}

}  // namespace
}  // namespace finegrain::problem
