// SPDX-License-Identifier: MIT
#include "sim/tune/twins.hpp"

#include <catch2/catch.hpp>

#include "kernels/problem/spmv_problem.hpp"

using namespace finegrain;
using namespace finegrain::problem;
using namespace finegrain::study;
using namespace finegrain::tune;

TEST_CASE("twins: what a setting gains is learned where both were simulated") {
  std::vector<StudyPoint> points(4);
  std::vector<Candidate> candidates;
  for (std::size_t i = 0; i < 4; ++i) {
    points[i].positions[static_cast<std::size_t>(Axis::policy)] = i % 2;
    points[i].run = {.problem = SpmvProblem{"m", "", 1 << 20, 8, 256},
                     .policy = "condensed",
                     .ranks = i < 2 ? 4 : 8,
                     .ranks_per_node = 4};
    if (i % 2 == 1) points[i].run.policy_settings = {{"copy", "compact"}};
    candidates.push_back({&points[i], {}, {}, {}, {}});
  }
  Twins twins(candidates);
  CHECK(twins.of(2) == std::vector<std::size_t>{3});
  candidates[3].screened.total_s = 0.6;
  twins.learn();
  CHECK_FALSE(twins.least_s(2));  // nobody compared the settings yet
  candidates[0].screened.total_s = 1.2;
  candidates[1].screened.total_s = 1.0;
  twins.learn();
  CHECK(*twins.least_s(2) == Approx(0.6 * 1.2 / 1.0 * 0.9));
  CHECK(*twins.least_s(0) == Approx(1.0 * 1.2 / 1.0 * 0.9));
}
