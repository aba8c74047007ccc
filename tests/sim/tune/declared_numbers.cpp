// SPDX-License-Identifier: MIT
#include "sim/tune/declared_numbers.hpp"

#include <catch2/catch.hpp>

using namespace finegrain;

namespace {

Candidate simulated(double time_s) {
  Candidate candidate;
  candidate.simulated.total_s = time_s;
  return candidate;
}

}  // namespace

TEST_CASE("declared numbers: another wins where the first slows by more than its margin") {
  // The second is 10 % slower: 1.05 keeps it behind, 1.2 does not; and it passes when it gains 10/11 itself.
  const std::vector<Candidate> candidates{simulated(1.0), simulated(1.1), simulated(3.0)};
  const std::vector<NumberChanged> numbers{{0, "tau x1.05", {1.05, 1, 1}},
                                           {0, "tau x1.2", {1.2, 1, 1}},
                                           {0, "cache_line /1.2", {1, 0.9, 1}},
                                           {0, "memory_bandwidth /1.2", {1.2, 1.2, 1.2}}};
  const std::vector<OtherWinner> others = other_winners(candidates, numbers);
  REQUIRE(others.size() == 2);
  CHECK(others[0].number->change == "tau x1.2");
  CHECK(others[0].winner == 1);
  CHECK(others[1].number->change == "cache_line /1.2");
}

TEST_CASE("declared numbers: what could not be simulated does not win") {
  CHECK(other_winners({simulated(1), Candidate()}, {{0, "tau x1.2", {2, 0.001}}}).empty());
}
