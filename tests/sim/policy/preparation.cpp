// SPDX-License-Identifier: MIT
#include <catch2/catch.hpp>

#include "../pattern/patterns.hpp"
#include "../pattern/schedules.hpp"
#include "../replay/small_platform.hpp"
#include "kernels/problem/spmv_problem.hpp"
#include "sim/policy/policy.hpp"
#include "sim/policy/preparation.hpp"
#include "sim/replay/replay.hpp"
#include "traces/io/input_error.hpp"

using namespace finegrain;
using namespace finegrain::pattern;
using namespace finegrain::policy;
using namespace finegrain::problem;

namespace {

/// Ranks 0 and 1 own the elements {0 1 2} and {3 4 5}: rank 0 needs 3, 4 and 5, rank 1 needs 0 and 2.
const test::MatrixPattern six_rows_to_prepare{6, 3, {3, 3, 1, 4, 3, 5, 0, 1, 2, 3, 4, 5, 0, 4, 4, 0, 0, 2}};

Run condensed_run(Transfer transfer, const char* copy) {
  return {.problem = SpmvProblem{"", "", 6, 3, 3},
          .policy = "condensed",
          .policy_settings = {{"copy", std::string(copy)}},
          .transfer = transfer,
          .completion = Completion::together,
          .ranks = 2,
          .ranks_per_node = 2,
          .iterations = 100};
}

}  // namespace

TEST_CASE("preparation: indices are scanned, and lists of four bytes an element go to the owners") {
  const std::optional<Run> once = preparation_of(condensed_run(Transfer::two_sided, "full"));
  REQUIRE(once);
  CHECK(once->iterations == 1);
  const auto body = [](std::int64_t needed, std::int64_t told, std::vector<std::int64_t> sizes) {
    Body expected;
    expected.sizes = std::move(sizes);
    // 3 rows of 3 indices; a bit of each of 6 elements, twice; the list.
    expected.add_region(RegionName("find"), Work{3 * 3 * 4 + 2 * 1 + needed * 4});
    expected.add_region(RegionName("counts"),
                        Collective{.kind = CollectiveKind::alltoall, .element_bytes = 4, .size_bytes = 4});
    expected.add_region(RegionName("lists"), Collective{.kind = CollectiveKind::alltoallv,
                                                        .element_bytes = 4,
                                                        .size_bytes = needed * 4,
                                                        .size_count = 2 * 2});
    expected.add_region(RegionName("places"), Work{told * (4 + 4)});
    return expected;
  };
  const std::vector<Body> expected{body(3, 2, {0, 3 * 4, 0, 2 * 4}), body(2, 3, {2 * 4, 0, 3 * 4, 0})};
  CHECK(spmv_schedule(six_rows_to_prepare.view(), *once).ranks == expected);
}

TEST_CASE("preparation: only of MPI's condensed messages into a full copy of x") {
  CHECK(!preparation_of(condensed_run(Transfer::put, "full")));
  CHECK(!preparation_of(condensed_run(Transfer::two_sided, "compact")));
  CHECK(policy::policy("preparation").variants(pattern_kind("heat")).empty());
}

TEST_CASE("preparation: numbers, then lists, cross the network as the MPI library sends them") {
  SmallPlatform platform(switched(2));
  Run once = *preparation_of(condensed_run(Transfer::two_sided, "full"));
  once.ranks_per_node = 1;
  const Schedule schedule = spmv_schedule(six_rows_to_prepare.view(), once);
  // Both ways at once at 1 MB/s: 4 bytes, then 12 one way and 8 the other. Memory takes nanoseconds.
  CHECK(replay::replay(schedule, *platform).total_s == Approx((4 + 12) / 1e6).epsilon(0.01));
  CHECK_THROWS_WITH(replay::replay(schedule, *platform, {.one_flow_per_message = true}),
                    Catch::Contains("the schedule has collective operations"));
}
