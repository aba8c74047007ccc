// SPDX-License-Identifier: MIT
#include "kernels/problem/uneven_placement.hpp"

#include <catch2/catch.hpp>

#include "traces/io/input_error.hpp"

namespace finegrain::problem {
namespace {

const std::vector<int> cores = {2, 8, 3};

TEST_CASE("uneven placement: 11 ranks on nodes of 2, 8 and 3 cores: 2, 8 and 1") {
  const Placement placement = filled_placement(11, cores);
  REQUIRE(placement.nodes() == 3);
  REQUIRE(placement.ranks_of(0) == std::vector{0, 1});
  REQUIRE(placement.ranks_of(2) == std::vector{10});
  REQUIRE(placement.most_ranks_on_a_node() == 8);
}

TEST_CASE("uneven placement: ranks that one node has room for are on it alone, as with any placement") {
  REQUIRE(filled_placement(2, cores).nodes() == 1);
  REQUIRE(dealt_placement(2, cores).nodes() == 1);
}

TEST_CASE("uneven placement: cyclic deals ranks out to the nodes that have room") {
  const Placement placement = dealt_placement(9, cores);
  REQUIRE(placement.nodes() == 2);
  REQUIRE(placement.ranks_of(0) == std::vector{0, 2});
  REQUIRE(placement.ranks_of(1) == std::vector{1, 3, 4, 5, 6, 7, 8});
}

TEST_CASE("uneven placement: more ranks than all nodes have room for are an input error") {
  REQUIRE_THROWS_WITH(filled_placement(14, cores), Catch::Contains("3 nodes that have room for 13 together"));
  REQUIRE_THROWS_AS(dealt_placement(14, cores), InputError);
}

}  // namespace
}  // namespace finegrain::problem
