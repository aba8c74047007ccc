// SPDX-License-Identifier: MIT
#include "sim/answer/regions.hpp"

#include <catch2/catch.hpp>

#include "../replay/shared_link.hpp"
#include "kernels/problem/placement.hpp"

using namespace finegrain;
using namespace finegrain::answer;

namespace {

/// Two iterations, in which rank 1 waits at the barrier for rank 0, which puts. It has no region for that.
struct PutAndBarrier {
  Schedule schedule = puts(8, 2);
  problem::Placement placement{2, 1};
  Measurement measured;
  Answer answer{.question = {.job = {.schedule = &schedule, .platform = nullptr, .placement = &placement},
                             .measurement = &measured},
                .simulated = replay::ReplayResult{},
                .closed_form = {}};

  PutAndBarrier() {
    measured.phases_s = {{5, 1}, {7}};
    answer.simulated->ranks.resize(2);
    answer.simulated->ranks[0].phases_s = {6, 2};
    answer.simulated->ranks[0].phases_j = {10, 4};
    answer.simulated->ranks[1].phases_s = {8};
    answer.simulated->ranks[1].phases_j = {6};
  }
};

}  // namespace

TEST_CASE("regions: a rank without a region spends no time in it, and keeps its times of the others") {
  const PutAndBarrier both;
  const std::vector<RegionTimes> times = region_times(both.answer);
  REQUIRE(times.size() == 2);
  CHECK(times[0].region.name() == "put");
  CHECK(times[0].simulated_s == std::vector<double>{6. / 2, 0});
  CHECK(times[0].measured_s == std::vector<double>{5, 0});
  CHECK(times[0].joules == 10. / 2);
  CHECK(times[1].region.name() == "barrier");
  CHECK(times[1].simulated_s == std::vector<double>{2. / 2, 8. / 2});
  CHECK(times[1].measured_s == std::vector<double>{1, 7});
  CHECK(times[1].joules == (4. + 6) / 2);
}

TEST_CASE("regions: waiting for late partners is of an iteration, and shown of the rank that takes longest") {
  PutAndBarrier both;
  CHECK(region_times(both.answer)[0].waits.empty());
  CHECK_FALSE(late_of_slowest_s(region_times(both.answer)[0]));
  both.answer.simulated->ranks[0].waits.add(1, {.late_sender_s = 1});
  both.answer.simulated->ranks[1].waits.add(0, {.late_sender_s = 7});
  const std::vector<RegionTimes> times = region_times(both.answer);
  CHECK(times[0].waits[1].total_s() == 0);
  CHECK(times[1].waits[0].late_s() == 1. / 2);
  CHECK(times[1].waits[1].late_s() == 7. / 2);
  CHECK(late_of_slowest_s(times[1]) == 7. / 2);
}

TEST_CASE("regions: one that the first rank does not have stands where it belongs") {
  PutAndBarrier both;
  std::swap(both.schedule.ranks[0], both.schedule.ranks[1]);
  const std::vector<model::NumberedPhase> regions = regions_of(both.schedule);
  REQUIRE(regions.size() == 2);
  CHECK(regions[0].name() == "put");
  CHECK(regions[1].name() == "barrier");
}

TEST_CASE("regions: those of one name are added up on each rank where they are taken together") {
  PutAndBarrier both;
  both.schedule.ranks[0].add_region(regions::put, Collective{});
  both.answer.simulated->ranks[0].phases_s.push_back(4);
  both.measured.phases_s[0].push_back(2);
  REQUIRE(region_times(both.answer).size() == 3);
  const std::vector<RegionTimes> times = region_times(both.answer, model::PhaseNames::together);
  REQUIRE(times.size() == 2);
  CHECK(times[0].simulated_s == std::vector<double>{(6. + 4) / 2, 0});
  CHECK(times[0].measured_s == std::vector<double>{5 + 2, 0});
}

TEST_CASE("regions: times of the run are those of an iteration, times its iterations") {
  const PutAndBarrier both;
  const std::vector<RegionTimes> times = region_times(both.answer, model::PhaseNames::each, Span::run);
  REQUIRE(times.size() == 2);
  CHECK(times[1].simulated_s == std::vector<double>{2, 8});
  CHECK(times[1].measured_s == std::vector<double>{2 * 1, 2 * 7});
  CHECK(times[1].joules == 4 + 6);
}

TEST_CASE("over ranks: the slowest of 1, 2 and 6 seconds is 6, their mean is 3") {
  const std::vector<double> ranks_s{1, 2, 6};
  CHECK(slowest_s(ranks_s) == 6);
  CHECK(mean_s(ranks_s) == Approx((1 + 2 + 6) / 3.));
}
