// SPDX-License-Identifier: MIT
#include "sim/replay/shares_done.hpp"

#include <algorithm>
#include <atomic>
#include <catch2/catch.hpp>
#include <limits>

#include "sim/replay/child_process.hpp"
#include "sim/replay/noise.hpp"
#include "sim/replay/replay.hpp"
#include "small_platform.hpp"

using namespace finegrain;
using namespace finegrain::replay;

namespace {

/// Two ranks that send each other a byte in each of 3,000 iterations.
Schedule exchanges() {
  std::vector<Body> ranks(2);
  for (int rank = 0; rank < 2; ++rank) {
    Body& iteration = ranks[static_cast<std::size_t>(rank)];
    iteration.begin_region(regions::send);
    iteration.add(transfer(TransferKind::receive, 1 - rank, 1));
    iteration.add(transfer(TransferKind::send, 1 - rank, 1));
    iteration.add_region(regions::wait, Complete::all());
    iteration.add_region(regions::compute, Work{1000 * (rank + 1)});
  }
  return schedule_of_ranks(std::move(ranks), 1, 3000);
}

/// What the simulation said last of itself.
double share_said(ReplayJob job, const ReplayOptions& options) {
  SmallPlatform platform(switched(2, "3us"));
  std::atomic<double> share{-1};
  job.platform = &*platform;
  set_share_of_this_process(&share);
  replay_here(job, options);
  return share;
}

}  // namespace

TEST_CASE("a simulation of a schedule says how much of it is done") {
  const Schedule schedule = exchanges();
  const double share = share_said({.schedule = &schedule, .platform = nullptr}, {.repeat_tolerance = 0});
  CHECK(share > 0.5);
  CHECK(share <= 1);
}

TEST_CASE("a simulation with a SimGrid flow for each message says how much of it is done") {
  const Schedule schedule = exchanges();
  const double share = share_said({.schedule = &schedule, .platform = nullptr},
                                  {.repeat_tolerance = 0, .one_flow_per_message = true});
  CHECK(share > 0.5);
  CHECK(share <= 1);
}

TEST_CASE("a simulation of programs says how much of them is done") {
  const Schedule schedule = exchanges();
  const SchedulePrograms programs(schedule);
  const double share = share_said({.schedule = &schedule, .platform = nullptr, .programs = &programs},
                                  {.repeat_tolerance = 0});
  CHECK(share > 0.5);
  CHECK(share <= 1);
}

TEST_CASE("a simulation of programs whose loops were found says how much of them is done") {
  const Schedule schedule = exchanges();
  const SchedulePrograms programs(schedule);
  const Noise noise{
      .kind = Noise::Kind::fixed, .period_s = 1e-3, .duration_s = 1e-6};  // so that none is skipped
  const double share =
      share_said({.schedule = &schedule, .platform = nullptr, .programs = &programs, .noise = &noise},
                 {.repeat_tolerance = std::numeric_limits<double>::min(), .most_iterations = 2900});
  CHECK(share > 0.5);
  CHECK(share <= 1);
}

TEST_CASE("what simulations in other processes say of themselves is known here, while they run") {
  SharesDone seen_here(1);
  double most = 0;
  shares_listener() = [&](double shares) {
    most = std::max(most, shares);
    if (shares > 0) *seen_here.of(0) = 1;
  };
  forked<double>(
      1, 1,
      [&](std::size_t /*task*/) {
        *share_of_this_process() = 0.25;
        while (*seen_here.of(0) == 0) {
        }
        return 1.0;
      },
      [](std::size_t /*task*/, double /*result*/) {});
  CHECK(most == 0.25);
}
