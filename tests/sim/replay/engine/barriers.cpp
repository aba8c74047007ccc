// SPDX-License-Identifier: MIT
#include "sim/replay/engine/barriers.hpp"

#include <array>
#include <catch2/catch.hpp>

using namespace finegrain::replay;

TEST_CASE(
    "barriers: nobody leaves before the last rank has come, then all do, in the order of their coming") {
  Barriers barriers(3, {});
  CHECK(barriers.enter(2, 1.).empty());
  CHECK(barriers.enter(0, 2.).empty());
  const auto leaving = barriers.enter(1, 4.);
  REQUIRE(leaving.size() == 3);
  CHECK(leaving[0].rank == 2);
  CHECK(leaving[0].since_s == 1.);
  CHECK(leaving[2].rank == 1);
  CHECK(barriers.enter(1, 5.).empty());  // the next barrier
}

TEST_CASE("barriers: a group of ranks does not wait for another one") {
  const std::array groups{0, 1, 0};
  Barriers barriers(3, groups);
  CHECK(barriers.enter(1, 0).size() == 1);
  CHECK(barriers.enter(0, 0).empty());
  CHECK(barriers.enter(2, 0).size() == 2);
}

TEST_CASE("barriers: in rounds, the rank that comes last leaves first") {
  const std::array<Barriers::Waiting, 4> waiting{{{0, 0}, {1, 0}, {2, 0}, {3, 10}}};
  const auto done_s = times_of_rounds(
      waiting, [](std::size_t, std::size_t) { return 1.; }, [](std::size_t, double at_s) { return at_s; });
  // Rank 3 tells rank 0 in round 0, and rank 1 in round 1. Rank 0 tells rank 2 in round 1.
  CHECK(done_s == std::vector{10. + 1, 10. + 1, 10. + 1 + 1, 10.});
}
