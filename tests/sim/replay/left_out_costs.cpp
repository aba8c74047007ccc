// SPDX-License-Identifier: MIT
// Costs that the papers' equations leave out, and replays without some that they could not see.
#include <catch2/catch.hpp>

#include "replay_both_ways.hpp"
#include "small_platform.hpp"

using namespace finegrain;

namespace {

constexpr std::int64_t megabyte = 1'000'000;

Message get(int peer, std::int64_t size_bytes = megabyte) {
  return {MessageKind::get, peer, size_bytes};
}

Schedule of_heat(Schedule schedule) {
  schedule.run.problem = HeatProblem{};
  return schedule;
}

/// Starts a get, and waits for it.
Iteration started_get(int peer) {
  Iteration iteration = one_phase(PhaseKind::get, 0, {get(peer)});
  iteration.begin_phase(PhaseKind::wait);
  return iteration;
}

}  // namespace

TEST_CASE("write-allocate: SpMV's unpack reads a line for each value of 12 + 64 bytes") {
  SmallPlatform platform(switched(1));
  const Schedule schedule = schedule_of_ranks({one_phase(PhaseKind::unpack, 1000 * (12 + 64))}, 1);
  CHECK(replay_both_ways(schedule, *platform).total_s == Approx(1000 * (12 + 64) / 12e9));
  platform.costs().write_allocate_bytes = 64;
  CHECK(replay_both_ways(schedule, *platform).total_s == Approx(1000 * (12 + 64 + 64) / 12e9));
}

TEST_CASE("write-allocate: heat's unpack reads a line for each value of 8 + 64 bytes, and its pack none") {
  SmallPlatform platform(switched(1));
  platform.costs().write_allocate_bytes = 64;
  const auto seconds = [&](PhaseKind kind) {
    return replay_both_ways(of_heat(schedule_of_ranks({one_phase(kind, 1000 * (8 + 64))}, 1)), *platform)
        .total_s;
  };
  CHECK(seconds(PhaseKind::unpack) == Approx(1000 * (8 + 64 + 64) / 12e9));
  CHECK(seconds(PhaseKind::pack) == Approx(1000 * (8 + 64) / 12e9));
}

TEST_CASE("copy-allocate: a copy of 64 bytes loads and stores them, and reads the line that it stores") {
  SmallPlatform platform(switched(1));
  platform.costs().copy_allocate_bytes = 48;
  const double expected_s = 1000 * (64 + 64 + 48) / 12e9;
  const Message own{MessageKind::get, 0, 64 * 1000};
  const auto seconds = [&](const Iteration& iteration) {
    return replay_both_ways(schedule_of_ranks({iteration}, 1), *platform).total_s;
  };
  CHECK(seconds(one_phase(PhaseKind::copy, 1000 * (64 + 64))) == Approx(expected_s));
  CHECK(seconds(one_phase(PhaseKind::get, 0, {own})) == Approx(expected_s));
  CHECK(seconds(one_phase(PhaseKind::compute, 1000 * (64 + 64))) == Approx(1000 * (64 + 64) / 12e9));
}

TEST_CASE("unregistered memory: SpMV's gets take as long as on a slower link, heat's do not") {
  SmallPlatform platform(switched(2));
  platform.costs().unregistered_bandwidth_bytes_per_s = 0.25e6;
  const Schedule blocking = schedule_of_ranks({one_phase(PhaseKind::get, 0, {get(1)}), idle()}, 1);
  CHECK(replay_both_ways(blocking, *platform).total_s == Approx(1 / 0.25));
  CHECK(replay_both_ways(of_heat(blocking), *platform).total_s == Approx(1 / 1.));
  CHECK(replay_both_ways(schedule_of_ranks({started_get(1), idle()}, 1), *platform).total_s ==
        Approx(1 / 0.25));
}

TEST_CASE("unregistered memory: two ranks of a node share what its link carries of it") {
  SmallPlatform platform(switched(2));
  platform.costs().unregistered_bandwidth_bytes_per_s = 0.25e6;
  const Iteration getter = one_phase(PhaseKind::get, 0, {get(2)});
  CHECK(replay_both_ways(schedule_of_ranks({getter, getter, idle(), idle()}, 2), *platform).total_s ==
        Approx(2 / 0.25));
}

TEST_CASE("unregistered memory: a link slower than that is as slow as it is") {
  SmallPlatform platform(switched(2));
  platform.costs().unregistered_bandwidth_bytes_per_s = 3e6;
  const Schedule blocking = schedule_of_ranks({one_phase(PhaseKind::get, 0, {get(1)}), idle()}, 1);
  CHECK(replay_both_ways(blocking, *platform).total_s == Approx(1 / 1.));
}

TEST_CASE("without contention: two gets of a node take as long as one") {
  SmallPlatform platform(switched(3));
  for (const Iteration& far : {one_phase(PhaseKind::get, 0, {get(2)}), started_get(2)}) {
    const Schedule schedule = schedule_of_ranks({far, far, idle(), idle(), idle(), idle()}, 2);
    platform.costs().puts_and_gets_share_links = true;
    CHECK(replay_both_ways(schedule, *platform).total_s == Approx(2 / 1.));
    platform.costs().puts_and_gets_share_links = false;
    CHECK(replay_both_ways(schedule, *platform).total_s == Approx(1 / 1.));
  }
}

TEST_CASE("without the time of barriers, ranks still wait for one another") {
  SmallPlatform platform(switched(2, "3us"));
  platform.costs().message_overhead_s = 1e-6;
  Iteration busy = one_phase(PhaseKind::compute, 12'000'000'000);
  busy.begin_phase(PhaseKind::barrier);
  Iteration waiting = one_phase(PhaseKind::compute, 0);
  waiting.begin_phase(PhaseKind::barrier);
  const Schedule schedule = schedule_of_ranks({busy, waiting}, 1);
  CHECK(replay_both_ways(schedule, *platform).ranks[1].finish_s ==
        Approx(1 + 2 * 3e-6 + 1e-6).epsilon(1e-12));
  platform.costs().barriers_take_time = false;
  CHECK(replay_both_ways(schedule, *platform).ranks[1].finish_s == Approx(1.).epsilon(1e-12));
}
