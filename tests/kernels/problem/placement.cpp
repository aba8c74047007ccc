// SPDX-License-Identifier: MIT
#include "kernels/problem/placement.hpp"

#include <catch2/catch.hpp>

#include "traces/io/input_error.hpp"

namespace finegrain::problem {
namespace {

TEST_CASE("placement: 10 ranks, 4 a node: nodes of 4, 4 and 2") {
  const Placement placement(10, 4);
  REQUIRE(placement.nodes() == 3);
  REQUIRE(placement.most_ranks_on_a_node() == 4);
  REQUIRE(placement.ranks_of(2) == std::vector{8, 9});
  REQUIRE(placement.same_node(4, 7));
  REQUIRE_FALSE(placement.same_node(3, 4));
}

TEST_CASE("placement: fewer ranks than a node holds are on one node") {
  REQUIRE(Placement(3, 16).nodes() == 1);
  REQUIRE(Placement(3, 16).most_ranks_on_a_node() == 3);
}

TEST_CASE("placement: cyclic deals the ranks out, to as many nodes as block fills") {
  const Placement placement = cyclic_placement(7, 3);
  REQUIRE(placement.nodes() == 3);
  REQUIRE(placement.ranks_of(0) == std::vector{0, 3, 6});
  REQUIRE(placement.ranks_of(2) == std::vector{2, 5});
  REQUIRE(placement.most_ranks_on_a_node() == 3);
  REQUIRE(placement.same_node(1, 4));
  REQUIRE_FALSE(placement.same_node(0, 1));
}

TEST_CASE("placement: no ranks, or none a node, are input errors") {
  REQUIRE_THROWS_AS(Placement(0, 4), InputError);
  REQUIRE_THROWS_AS(Placement(4, 0), InputError);
}

}  // namespace
}  // namespace finegrain::problem
