// SPDX-License-Identifier: MIT
#include <catch2/catch.hpp>
#include <random>

#include "../pattern/patterns.hpp"
#include "../pattern/schedules.hpp"
#include "replay_both_ways.hpp"
#include "sim/policy/variant.hpp"
#include "sim/replay/programs/coupling.hpp"
#include "sim/replay/repeats/repeat.hpp"
#include "small_platform.hpp"

using namespace finegrain;
using namespace finegrain::pattern;
using namespace finegrain::policy;
using namespace finegrain::problem;
using namespace finegrain::replay;

namespace {

constexpr int uneven_ranks = 12;
constexpr int uneven_ranks_per_node = 4;

/// Uneven volumes, the same in every test: rank r's neighbours are r ± 1 and r ± 5.
class Uneven {
 public:
  std::int64_t around(double bytes) {
    return static_cast<std::int64_t>(bytes * (0.7 + 0.6 * static_cast<double>(random_()) / 4294967296.0));
  }
  static std::vector<int> neighbours(int rank) {
    std::vector<int> result;
    for (const int offset : {-5, -1, 1, 5}) {
      if (rank + offset >= 0 && rank + offset < uneven_ranks) result.push_back(rank + offset);
    }
    return result;
  }
  static std::int64_t size_bytes(int from, int to) { return 1000 + 137 * from + 311 * to; }

 private:
  std::mt19937 random_{7};
};

std::vector<Body> two_sided() {
  Uneven uneven;
  std::vector<Body> result;
  for (int rank = 0; rank < uneven_ranks; ++rank) {
    Body& iteration = result.emplace_back();
    iteration.begin_region(regions::receive);
    for (const int peer : Uneven::neighbours(rank))
      iteration.add(transfer(TransferKind::receive, peer, Uneven::size_bytes(peer, rank)));
    iteration.add_region(regions::pack, Work{uneven.around(50e6)});
    iteration.begin_region(regions::send);
    for (const int peer : Uneven::neighbours(rank))
      iteration.add(transfer(TransferKind::send, peer, Uneven::size_bytes(rank, peer)));
    iteration.add_region(regions::wait, Complete::all());
    iteration.add_region(regions::compute, Work{uneven.around(200e6)});
  }
  return result;
}

std::vector<Body> one_sided() {
  Uneven uneven;
  std::vector<Body> result;
  for (int rank = 0; rank < uneven_ranks; ++rank) {
    Body& iteration = result.emplace_back();
    iteration.begin_region(regions::put);
    for (const int peer : Uneven::neighbours(rank))
      iteration.add(blocking(transfer(TransferKind::put, peer, Uneven::size_bytes(rank, peer))));
    iteration.add_region(regions::barrier, Collective{});
    iteration.add_region(regions::compute, Work{uneven.around(200e6)});
    iteration.add_region(regions::barrier, Collective{});
  }
  return result;
}

/// Replays with and without recognizing repeats, and compares every finish and every phase of every rank.
std::int64_t simulated_iterations(const Schedule& schedule) {
  SmallPlatform platform(switched(3, "3us"));
  platform.costs().message_overhead_s = 1e-6;
  platform.costs().local_latency_s = 1e-6;
  const auto whole = replay_both_ways(schedule, *platform, {0});
  const auto repeated = replay_both_ways(schedule, *platform);
  CHECK(whole.simulated_iterations == schedule.run.iterations);
  CHECK(repeated.repeats);
  CHECK(repeated.total_s == Approx(whole.total_s).epsilon(1e-5));
  for (std::size_t rank = 0; rank < whole.ranks.size(); ++rank) {
    CHECK(repeated.ranks[rank].finish_s == Approx(whole.ranks[rank].finish_s).epsilon(1e-5));
    for (std::size_t p = 0; p < whole.ranks[rank].phases_s.size(); ++p) {
      CHECK(repeated.ranks[rank].phases_s[p] ==
            Approx(whole.ranks[rank].phases_s[p]).margin(1e-5 * whole.total_s));
    }
  }
  return repeated.simulated_iterations;
}

}  // namespace

TEST_CASE("repeats: 1,000 one-sided iterations equal the full simulation, after 3 or fewer") {
  CHECK(simulated_iterations(schedule_of_ranks(one_sided(), uneven_ranks_per_node, 1000)) <= 3);
}

TEST_CASE("repeats: 1,000 uneven two-sided iterations equal the full simulation, after 100 or fewer") {
  CHECK(simulated_iterations(schedule_of_ranks(two_sided(), uneven_ranks_per_node, 1000)) <= 100);
}

TEST_CASE("repeats: with ranks that own no row, two-sided iterations equal the full simulation, after 100") {
  const test::MatrixPattern pattern = test::banded_pattern(3001, 4, 400, 5);
  for (const Completion completion : {Completion::together, Completion::overlapped}) {
    // 3001 rows in blocks of 350 are 9 blocks for 12 ranks.
    const Run run{.problem = SpmvProblem{"", "", pattern.rows, pattern.r_nz, 350},
                  .policy = "condensed",
                  .completion = completion,
                  .ranks = uneven_ranks,
                  .ranks_per_node = uneven_ranks_per_node,
                  .iterations = 150};
    CHECK(simulated_iterations(spmv_schedule(pattern.view(), run)) <= 100);
  }
}

TEST_CASE("repeats: one iteration is simulated where no rank has any work") {
  SmallPlatform platform(switched(2));
  const auto result = replay_both_ways(schedule_of_ranks({idle(), idle()}, 1, 1000), *platform);
  CHECK(result.simulated_iterations == 1);
  CHECK(result.total_s == 0);
}

TEST_CASE("repeats: a rank without work whose recorded phases took time takes that time in each iteration") {
  SmallPlatform platform(switched(2));
  const Body work = one_region(regions::compute, Work{1000});
  const Schedule schedule = schedule_of_ranks({idle(), work}, 1, 1000);
  const PhaseDurations durations{{1e-5}, {1e-3}};
  const ReplayResult result = replay_all({{&schedule, &*platform, &durations}}, 1).front();
  CHECK(result.simulated_iterations <= 3);
  CHECK(result.ranks[0].finish_s == Approx(1000 * 1e-5));
  CHECK(result.ranks[0].phases_s[0] == Approx(1000 * 1e-5));
  CHECK(result.ranks[1].finish_s == Approx(1000 * 1e-3));
}

TEST_CASE("repeats: every SpMV program's iterations equal the full simulation, one-sided, after 4 or fewer") {
  const test::MatrixPattern pattern = test::banded_pattern(3001, 4, 400, 5);
  for (const Variant& program : variants(pattern_kind("spmv"))) {
    CAPTURE(program.policy, to_string(program.transfer), to_string(program.completion));
    const Run run{.problem = SpmvProblem{"", "", pattern.rows, pattern.r_nz, 70},
                  .policy = program.policy,
                  .transfer = program.transfer,
                  .completion = program.completion,
                  .ranks = uneven_ranks,
                  .ranks_per_node = uneven_ranks_per_node,
                  .iterations = 150};
    const Schedule schedule = spmv_schedule(pattern.view(), run);
    if (has_collectives(schedule)) continue;  // SimGrid's own flows, the full simulation here, have none
    const std::int64_t simulated = simulated_iterations(schedule);
    CHECK(simulated <= (program.transfer == Transfer::two_sided ? 100 : 4));
  }
}

TEST_CASE("repeats: every heat program's iterations equal the full simulation, one-sided, after 4 or fewer") {
  for (const Variant& program : variants(pattern_kind("heat"))) {
    CAPTURE(to_string(program.transfer), to_string(program.completion));
    const Run run{.problem = HeatProblem{500, 301, 4, 3, HeatUpdate::copy},
                  .policy = "condensed",
                  .transfer = program.transfer,
                  .completion = program.completion,
                  .ranks = uneven_ranks,
                  .ranks_per_node = uneven_ranks_per_node,
                  .iterations = 150};
    const std::int64_t simulated = simulated_iterations(heat_schedule(run));
    CHECK(simulated <= (program.transfer == Transfer::two_sided ? 100 : 4));
  }
}

TEST_CASE("repeats: the iterations that ranks ahead have started are simulated, and the number still fits") {
  for (const std::int64_t count : {1, 2, 3, 7, 31})
    CHECK(simulated_iterations(schedule_of_ranks(two_sided(), uneven_ranks_per_node, count)) <= count);
}

TEST_CASE("repeats: ranks that nothing couples are simulated to the end, where the slower one speeds up") {
  SmallPlatform platform(switched(1));
  platform.costs().memory_bandwidth_bytes_per_s = 12e9;
  const auto result = replay_both_ways(schedule_of_ranks({one_region(regions::compute, Work{12'000'000}),
                                                          one_region(regions::compute, Work{24'000'000})},
                                                         2, 100),
                                       *platform);
  CHECK(result.simulated_iterations == 100);
  // Half the bandwidth each until the first is done; the second has half its work left, and all the
  // bandwidth.
  CHECK(result.ranks[0].finish_s == Approx(100 * 2 * 1e-3).epsilon(1e-9));
  CHECK(result.ranks[1].finish_s == Approx(100 * 2 * 1e-3 + 50 * 2e-3).epsilon(1e-9));
}

TEST_CASE("repeats: equal ranks that nothing couples repeat") {
  SmallPlatform platform(switched(2));
  const std::vector<Body> even(4, one_region(regions::compute, Work{12'000'000}));
  const auto result = replay_both_ways(schedule_of_ranks(even, 2, 1000), *platform);
  CHECK(result.simulated_iterations <= 3);
  CHECK(result.total_s == Approx(1000 * 1e-3).epsilon(1e-9));
}

TEST_CASE(
    "repeats: coupled ranks that have not repeated after most_iterations go on as in the mean of the last") {
  SmallPlatform platform(switched(3, "3us"));
  platform.costs().message_overhead_s = 1e-6;
  const Schedule schedule = schedule_of_ranks(two_sided(), uneven_ranks_per_node, 1000);
  const auto whole = replay_both_ways(schedule, *platform, {0});
  const auto mean = replay_both_ways(schedule, *platform, {1e-15, 65});
  CHECK(mean.simulated_iterations <= 65 + uneven_ranks);
  CHECK(!mean.repeats);
  CHECK(mean.repeat_change > 0);
  CHECK(mean.repeat_change < 0.05);
  CHECK(mean.total_s == Approx(whole.total_s).epsilon(1e-2));
}

TEST_CASE("coupling: a barrier couples, and pairs that send to each other, a one-way message does not") {
  const Body meeting = Body{}.add_region(regions::barrier, Collective{});
  CHECK(is_coupled(schedule_of_ranks({meeting, meeting}, 1)));
  const auto sends_to = [](const std::vector<int>& peers) {
    Body iteration = one_region(regions::send);
    for (const int peer : peers)
      iteration.add(transfer(TransferKind::send, peer, 8));
    return iteration;
  };
  CHECK(is_coupled(schedule_of_ranks({sends_to({1}), sends_to({0, 2}), sends_to({1})}, 1)));
  CHECK(!is_coupled(schedule_of_ranks({sends_to({1}), sends_to({2}), sends_to({1})}, 1)));
  CHECK(!is_coupled(schedule_of_ranks({sends_to({1}), sends_to({0}), sends_to({3}), sends_to({2})}, 1)));
  const Body work = one_region(regions::compute, Work{1000});
  CHECK(!is_coupled(schedule_of_ranks({work, work}, 1)));
  CHECK(is_coupled(schedule_of_ranks({work}, 1)));
  CHECK(is_coupled(schedule_of_ranks({idle(), sends_to({2}), sends_to({1}), idle()}, 1)));
  CHECK(!is_coupled(schedule_of_ranks({idle(), sends_to({2}), sends_to({1}), work}, 1)));
}

namespace {

/// A rank's clock, of phases that nobody asks for.
RankReplay at(double finish_s) {
  return {finish_s, {}, {}};
}

}  // namespace

TEST_CASE("detector: a period of two iterations is found after two of them") {
  RepeatDetector detector(1, {1e-6, std::nullopt});
  double clock_s = 0;
  for (const double duration_s : {1., 2., 1.}) {
    clock_s += duration_s;
    CHECK(!detector.finished(0, at(clock_s)));
  }
  const auto period = detector.finished(0, at(clock_s + 2.));
  REQUIRE(period);
  CHECK(period->iterations == 2);
  CHECK(period->advances.front().finish_s == 1. + 2.);
}

TEST_CASE("detector: a change above the tolerance is no repeat, one below is") {
  for (const double change : {1e-3, 1e-8}) {
    RepeatDetector detector(1, {1e-6, std::nullopt});
    CHECK(!detector.finished(0, at(1.)));
    CHECK(detector.finished(0, at(1. + 1. + change)).has_value() == (change < 1e-6));
  }
}

TEST_CASE("detector: ranks of different paces are no repeat, though each repeats itself") {
  RepeatDetector detector(2, {1e-6, std::nullopt});
  for (int iteration = 1; iteration <= 20; ++iteration) {
    CHECK(!detector.finished(0, at(iteration * 1.)));
    CHECK(!detector.finished(1, at(iteration * 2.)));
  }
}

TEST_CASE(
    "detector: an iteration counts when the last rank has finished it, however far ahead the others are") {
  RepeatDetector detector(2, {1e-6, std::nullopt});
  for (int iteration = 1; iteration <= 20; ++iteration)
    CHECK(!detector.finished(0, at(iteration * 1.)));
  CHECK(!detector.finished(1, at(5 + 1.)));
  CHECK(!detector.finished(1, at(5 + 2.)));
  CHECK(detector.finished(1, at(5 + 3.)));
}

TEST_CASE("detector: an equal iteration whose phases changed is no repeat") {
  RepeatDetector detector(1, {1e-6, std::nullopt});
  CHECK(!detector.finished(0, {1., {0.5, 0.5}, {}}));
  CHECK(!detector.finished(0, {2., {0.5 + 0.6, 0.5 + 0.4}, {}}));
  CHECK(detector.finished(0, {3., {0.5 + 2 * 0.6, 0.5 + 2 * 0.4}, {}}));
}
