// SPDX-License-Identifier: MIT
#include <catch2/catch.hpp>

#include "../pattern/patterns.hpp"
#include "../pattern/schedules.hpp"
#include "../replay/small_platform.hpp"
#include "kernels/problem/spmv_problem.hpp"
#include "sim/pattern/layout.hpp"
#include "sim/policy/closed_form.hpp"
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

TEST_CASE(
    "preparation: in UPC++ the owners get numbers of all ranks, then lists of those that need elements") {
  const std::optional<Run> once = preparation_of(condensed_run(Transfer::put, "full"));
  REQUIRE(once);
  CHECK(once->transfer == Transfer::get);
  const auto body = [](int other, std::int64_t needed, std::int64_t told) {
    const auto get = [&](std::int64_t size_bytes) {
      return Post{.kind = TransferKind::get, .private_memory = true, .peer = other, .size_bytes = size_bytes};
    };
    Body expected;
    expected.add_region(RegionName("find"), Work{3 * 3 * 4 + 2 * 1 + needed * 4});
    expected.add_region(regions::barrier, Collective{});
    expected.add_region(RegionName("counts"), get(8 + 8));
    expected.add_region(regions::wait, Complete::all());
    expected.add_region(RegionName("lists"), get(told * 4));
    expected.add_region(regions::wait, Complete::all());
    expected.add_region(RegionName("places"), Work{told * (4 + 4)});
    expected.add_region(regions::barrier, Collective{});
    return expected;
  };
  CHECK(spmv_schedule(six_rows_to_prepare.view(), *once).ranks ==
        std::vector<Body>{body(1, 3, 2), body(0, 2, 3)});
}

TEST_CASE("preparation: (P1) is the work, then a tau a number and a list, and four bytes an element listed") {
  platform::PlatformCosts costs;
  costs.memory_bandwidth_bytes_per_s = 100;
  costs.memory_bandwidth_per_core_bytes_per_s = 100;
  costs.tau_s = 5;
  costs.remote_bandwidth_bytes_per_s = 2;
  for (const Transfer transfer : {Transfer::two_sided, Transfer::put}) {
    Run run = condensed_run(transfer, "full");
    const std::vector<RankCounts> together = count_accesses(six_rows_to_prepare.view(), layout_of(run));
    // One node, two ranks at 50 B/s: rank 0 finds 3 elements, and is told 2; rank 1 finds 2, and is told 3.
    CHECK(predict(*preparation_of(run), together, costs)->total_s ==
          Approx((3 * 3 * 4 + 6 * 0.25 + 3 * 4) / 50. + 3 * (4 + 4) / 50. + 3 * (4 + 4) / 50.));
    run.ranks_per_node = 1;
    const std::vector<RankCounts> apart = count_accesses(six_rows_to_prepare.view(), layout_of(run));
    // Two nodes at 100 B/s. Rank 1 is the slower: what it is told crosses the network, 3 elements.
    const std::optional<model::Prediction> prediction = predict(*preparation_of(run), apart, costs);
    CHECK(prediction->total_s ==
          Approx((3 * 3 * 4 + 6 * 0.25 + 2 * 4) / 100. + 5 + (5 + 3 * 4 / 2.) + 3 * (4 + 4) / 100.));
    // Its second wait is for the lists.
    if (transfer == Transfer::put)
      CHECK(phase_time_s(*prediction, regions::wait, 2) == Approx(5 + 3 * 4 / 2.));
  }
}

TEST_CASE("preparation: in (P1) the ranks of a node start their messages at the same time") {
  platform::PlatformCosts costs;
  costs.memory_bandwidth_bytes_per_s = 100;
  costs.memory_bandwidth_per_core_bytes_per_s = 100;
  costs.tau_s = 5;
  costs.remote_bandwidth_bytes_per_s = 2;
  for (const Transfer transfer : {Transfer::two_sided, Transfer::put}) {
    // Ranks 0 and 1 on a node own {0 1} and {2 3}, and rank 2 owns {4 5} on another; W_private is 50 B/s.
    Run run = condensed_run(transfer, "full");
    run.problem = SpmvProblem{"", "", 6, 3, 2};
    run.ranks = 3;
    const std::vector<RankCounts> counts = count_accesses(six_rows_to_prepare.view(), layout_of(run));
    const std::optional<model::Prediction> prediction = predict(*preparation_of(run), counts, costs);
    const double find_s = (2 * 3 * 4 + 6 * 0.25) / 50.;
    // MPI: 2 rounds, then a list to each rank on another node. UPC++: a number and a list of each such rank,
    // as each needs elements of all others.
    const double first_tau_s = 5. * (transfer == Transfer::two_sided ? 2 + 1 : 1 + 1);
    const double second_tau_s = 5. * (2 + 2);
    // Rank 1 needs 0, 1, 4 and 5. Rank 0 tells rank 1 of 2 elements; each tells rank 2 of one.
    CHECK(prediction->nodes_s[0] ==
          Approx(find_s + 4 * 4 / 50. + first_tau_s + 2 * 8 / 50. + (1 + 1) * 4 / 2.));
    // Rank 2 needs 0 and 2, and tells both others of 4 and 5.
    CHECK(prediction->nodes_s[1] == Approx(find_s + 2 * 4 / 50. + second_tau_s + 4 * 4 / 2.));
    CHECK(prediction->total_s == Approx(prediction->nodes_s[1] + 4 * 8 / 50.));
  }
}

TEST_CASE("preparation: the closed form of a pair has what one tells the other, and no work") {
  Run run = *preparation_of(condensed_run(Transfer::two_sided, "full"));
  run.ranks_per_node = 1;
  const Placement placement(2, 1);
  const std::vector<RankCounts> counts = count_accesses(six_rows_to_prepare.view(), layout_of(run));
  // Rank 0 reads no index for it, marks none and lists 3 elements; it is told a number and a list of 2
  // elements, which it makes places.
  CHECK(counts_with_peer(run, counts, model::ClosedForm::as_published, placement, 0, 1) ==
        std::vector<double>{0, 0, 3, 1, 0, 1, 2, 2});
}

TEST_CASE("preparation: of what needs lists and nothing else") {
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
