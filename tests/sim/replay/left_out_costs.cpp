// SPDX-License-Identifier: MIT
// Costs that the papers' equations leave out, and replays without some that they could not see.
#include <catch2/catch.hpp>

#include "kernels/problem/heat_problem.hpp"
#include "replay_both_ways.hpp"
#include "small_platform.hpp"

using namespace finegrain;

namespace {

/// That the rank goes on with.
Post started(int peer, std::int64_t size_bytes = megabyte) {
  return from_private_memory(transfer(TransferKind::get, peer, size_bytes));
}

Post private_get(int peer, std::int64_t size_bytes = megabyte) {
  return blocking(started(peer, size_bytes));
}

/// Starts a get, and waits for it.
Body started_get(int peer) {
  Body iteration = one_region(regions::get, {started(peer)});
  iteration.add_region(regions::wait, Complete::all());
  return iteration;
}

}  // namespace

TEST_CASE(
    "write-allocate: a scattered store reads its line, SpMV's unpacked value 12 + 64 bytes and the line") {
  SmallPlatform platform(switched(1));
  const Work unpack{.memory_bytes = 1000 * (12 + 64), .scattered_stores = 1000};
  const Schedule schedule = schedule_of_ranks({one_region(regions::unpack, unpack)}, 1);
  CHECK(replay_both_ways(schedule, *platform).total_s == Approx(1000 * (12 + 64) / 12e9));
  platform.costs().write_allocate_bytes = 64;
  CHECK(replay_both_ways(schedule, *platform).total_s == Approx(1000 * (12 + 64 + 64) / 12e9));
}

TEST_CASE("write-allocate: heat's unpack reads a line for each value of 8 + 64 bytes, and its pack none") {
  SmallPlatform platform(switched(1));
  platform.costs().write_allocate_bytes = 64;
  const auto seconds = [&](RegionName name, std::int64_t scattered_stores) {
    const Work work{.memory_bytes = 1000 * (8 + 64), .scattered_stores = scattered_stores};
    return replay_both_ways(schedule_of_ranks({one_region(name, work)}, 1), *platform).total_s;
  };
  CHECK(seconds(regions::unpack, 1000) == Approx(1000 * (8 + 64 + 64) / 12e9));
  CHECK(seconds(regions::pack, 0) == Approx(1000 * (8 + 64) / 12e9));
}

TEST_CASE("what a region costs does not depend on its name") {
  SmallPlatform platform(switched(2, "3us"));
  platform.costs().write_allocate_bytes = 64;
  platform.costs().copy_allocate_bytes = 48;
  platform.costs().message_overhead_s = 1e-6;
  const auto seconds = [&](RegionName name) {
    Body body = one_region(name, Work{4000, 10, 2000},
                           {private_get(1), started(1), Post{transfer(TransferKind::send, 1, 8)}});
    body.add(Complete::all()).add(Collective{});
    Body peer = one_region(name, {transfer(TransferKind::receive, 0, 8)});
    peer.add(Complete::all()).add(Collective{});
    return replay_both_ways(schedule_of_ranks({body, peer}, 1), *platform).total_s;
  };
  const double of_compute_s = seconds(regions::compute);
  for (const RegionName name : {regions::unpack, regions::copy, regions::wait, regions::barrier, regions::put,
                                RegionName("a user's own")})
    CHECK(seconds(name) == of_compute_s);
}

TEST_CASE("copy-allocate: a copy of 64 bytes loads and stores them, and reads the line that it stores") {
  SmallPlatform platform(switched(1));
  platform.costs().copy_allocate_bytes = 48;
  const double expected_s = 1000 * (64 + 64 + 48) / 12e9;
  const Post own = private_get(0, 64 * 1000);
  const auto seconds = [&](const Body& iteration) {
    return replay_both_ways(schedule_of_ranks({iteration}, 1), *platform).total_s;
  };
  CHECK(seconds(one_region(regions::copy, Work{.memory_bytes = 1000 * (64 + 64),
                                               .copied_bytes = 1000 * 64})) == Approx(expected_s));
  CHECK(seconds(one_region(regions::get, {own})) == Approx(expected_s));
  CHECK(seconds(one_region(regions::compute, Work{1000 * (64 + 64)})) == Approx(1000 * (64 + 64) / 12e9));
}

TEST_CASE("unregistered memory: gets into private memory take as long as on a slower link, others do not") {
  SmallPlatform platform(switched(2));
  platform.costs().unregistered_bandwidth_bytes_per_s = 0.25e6;
  const Schedule into_private = schedule_of_ranks({one_region(regions::get, {private_get(1)}), idle()}, 1);
  CHECK(replay_both_ways(into_private, *platform).total_s == Approx(1 / 0.25));
  const Post registered = blocking(transfer(TransferKind::get, 1, megabyte));
  CHECK(replay_both_ways(schedule_of_ranks({one_region(regions::get, {registered}), idle()}, 1), *platform)
            .total_s == Approx(1 / 1.));
  CHECK(replay_both_ways(schedule_of_ranks({started_get(1), idle()}, 1), *platform).total_s ==
        Approx(1 / 0.25));
}

TEST_CASE("unregistered memory: two ranks of a node share what its link carries of it") {
  SmallPlatform platform(switched(2));
  platform.costs().unregistered_bandwidth_bytes_per_s = 0.25e6;
  const Body getter = one_region(regions::get, {private_get(2)});
  CHECK(replay_both_ways(schedule_of_ranks({getter, getter, idle(), idle()}, 2), *platform).total_s ==
        Approx(2 / 0.25));
}

TEST_CASE("unregistered memory: a link slower than that is as slow as it is") {
  SmallPlatform platform(switched(2));
  platform.costs().unregistered_bandwidth_bytes_per_s = 3e6;
  const Schedule blocking = schedule_of_ranks({one_region(regions::get, {private_get(1)}), idle()}, 1);
  CHECK(replay_both_ways(blocking, *platform).total_s == Approx(1 / 1.));
}

TEST_CASE("without contention: two gets of a node take as long as one") {
  SmallPlatform platform(switched(3));
  for (const Body& far : {one_region(regions::get, {private_get(2)}), started_get(2)}) {
    const Schedule schedule = schedule_of_ranks({far, far, idle(), idle(), idle(), idle()}, 2);
    CHECK(replay_both_ways(schedule, *platform).total_s == Approx(2 / 1.));
    CHECK(replay_both_ways(schedule, *platform, {.puts_and_gets_share_links = false}).total_s ==
          Approx(1 / 1.));
  }
}

TEST_CASE("without the time of barriers, ranks still wait for one another") {
  SmallPlatform platform(switched(2, "3us"));
  platform.costs().message_overhead_s = 1e-6;
  Body busy = one_region(regions::compute, Work{12'000'000'000});
  busy.add_region(regions::barrier, Collective{});
  Body waiting = one_region(regions::compute);
  waiting.add_region(regions::barrier, Collective{});
  const Schedule schedule = schedule_of_ranks({busy, waiting}, 1);
  CHECK(replay_both_ways(schedule, *platform).ranks[1].finish_s ==
        Approx(1 + 2 * 3e-6 + 1e-6).epsilon(1e-12));
  const replay::ReplayOptions without{.barriers_take_time = false};
  CHECK(replay_both_ways(schedule, *platform, without).ranks[1].finish_s == Approx(1.).epsilon(1e-12));
}
