// SPDX-License-Identifier: MIT
#include <algorithm>
#include <catch2/catch.hpp>

#include "../pattern/patterns.hpp"
#include "../pattern/schedules.hpp"
#include "../replay/replay_both_ways.hpp"
#include "../replay/small_platform.hpp"
#include "kernels/problem/spmv_problem.hpp"
#include "sim/pattern/layout.hpp"
#include "sim/policy/closed_form.hpp"

using namespace finegrain;
using namespace finegrain::pattern;
using namespace finegrain::policy;
using namespace finegrain::problem;

namespace {

/// No row needs another rank's element.
const test::MatrixPattern ten_rows{10, 1, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9}};

Run run_of(const char* policy) {
  return {.problem = SpmvProblem{"", "", ten_rows.rows, ten_rows.r_nz, 6},
          .policy = policy,
          .transfer = Transfer::get,
          .completion = Completion::each,
          .ranks = 2,
          .ranks_per_node = 1};
}

}  // namespace

TEST_CASE("naive policy: simulated, a rank's pointers to shared and its tests of all rows take their time") {
  SmallPlatform platform(switched(2));
  platform.costs().shared_pointer_access_s = 1e-3;
  platform.costs().affinity_test_s = 1e-4;
  const auto first_s = [&](const char* policy) {
    Schedule schedule = spmv_schedule(ten_rows.view(), run_of(policy));
    for (Body& body : schedule.ranks) {  // without the barriers, in which ranks wait for one another
      body.regions.erase(body.regions.begin() + 1, body.regions.end());
      body.operations.erase(body.operations.begin() + 1, body.operations.end());
    }
    return replay_both_ways(schedule, *platform).ranks;
  };
  const auto naive = first_s("naive");
  const auto individual = first_s("individual");
  // Rank 0 has 6 rows, rank 1 has 4; a row refers to A, J, D and y once. Both test 10 rows.
  CHECK(naive[0].finish_s - individual[0].finish_s == Approx(6 * 4 * 1e-3 + 10 * 1e-4));
  CHECK(naive[1].finish_s - individual[1].finish_s == Approx(4 * 4 * 1e-3 + 10 * 1e-4));
}

TEST_CASE(
    "naive policy: between two ranks (N1) has individual's terms, and nothing for the rank's own work") {
  const test::MatrixPattern matrix = test::random_pattern(101, 3, 1);
  Run run = run_of("naive");
  run.problem = SpmvProblem{"", "", matrix.rows, matrix.r_nz, 50};
  const Layout layout = layout_of(run);
  const std::vector<RankCounts> counts = count_accesses(matrix.view(), layout);
  const auto between = [&](const char* policy) {
    run.policy = policy;
    return counts_with_peer(run, counts, model::ClosedForm::as_published, layout.placement, 0, 1);
  };
  std::vector<double> expected = between("individual");
  CHECK(*std::ranges::max_element(expected) > 0);
  expected.insert(expected.end(), {0, 0});
  CHECK(between("naive") == expected);
}
