// SPDX-License-Identifier: MIT
#include "sim/policy/idle_ranks.hpp"
#include "kernels/problem/heat_problem.hpp"
#include "kernels/problem/spmv_problem.hpp"

#include <catch2/catch.hpp>

using namespace finegrain;
using namespace finegrain::policy;
using namespace finegrain::problem;

namespace {

Run run_of(std::int64_t rows, std::int64_t block_size, int ranks) {
  return {.problem = SpmvProblem{"", "", rows, 4, block_size}, .policy = "condensed", .ranks = ranks};
}

}  // namespace

TEST_CASE("idle ranks: those after the last block, none where each has one") {
  // 10 rows in blocks of 3 are 4 blocks, the last of one row.
  CHECK(idle_ranks(run_of(10, 3, 4)).empty());
  CHECK(idle_ranks(run_of(10, 3, 3)).empty());
  CHECK(idle_ranks(run_of(10, 3, 7)) == std::vector{4, 5, 6});
  CHECK(idle_ranks({.problem = HeatProblem{4, 4, 2, 2}, .policy = "condensed", .ranks = 4}).empty());
}

TEST_CASE("idle ranks: one note names those of all runs, equal ones once, and there is none without") {
  CHECK(idle_ranks_notes(std::vector{run_of(10, 3, 4), run_of(10, 5, 2)}).empty());
  const std::vector<std::string> notes =
      idle_ranks_notes(std::vector{run_of(10, 3, 4), run_of(10, 3, 5), run_of(10, 3, 7), run_of(10, 3, 7)});
  REQUIRE(notes.size() == 1);
  CHECK(notes.front() == "Idle ranks, which own no row: of 5 ranks, number 4; of 7 ranks, 4 to 6.");
}

TEST_CASE("idle ranks: the layouts beyond six are counted") {
  std::vector<Run> runs;
  for (int ranks = 5; ranks < 5 + 8; ++ranks)
    runs.push_back(run_of(10, 3, ranks));
  CHECK_THAT(idle_ranks_notes(runs).front(),
             Catch::Matchers::EndsWith("of 10 ranks, 4 to 9; and in 2 other layouts."));
}
