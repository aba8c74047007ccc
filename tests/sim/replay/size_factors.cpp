// SPDX-License-Identifier: MIT
// Latencies and bandwidths by the size of a message. The links have 1 MB/s, and 3 us each; a route has two.
#include <catch2/catch.hpp>

#include "sim/replay/contention.hpp"
#include "sim/replay/replay.hpp"
#include "sim/replay/timeline.hpp"
#include "small_platform.hpp"
#include "traces/io/input_error.hpp"

using namespace finegrain;
using Catch::Matchers::Contains;

namespace {

constexpr double latency_s = 2 * 3e-6;

Body exchanging(TransferKind kind, int peer, std::int64_t size_bytes) {
  Body body = one_region(regions::send, {transfer(kind, peer, size_bytes)});
  body.add_region(regions::wait, Complete::all());
  return body;
}

Schedule message(std::int64_t size_bytes) {
  return schedule_of_ranks(
      {exchanging(TransferKind::send, 1, size_bytes), exchanging(TransferKind::receive, 0, size_bytes)}, 1);
}

/// Two ranks send to a third at the same time.
Schedule two_to_one(std::int64_t size_bytes) {
  Body both = one_region(regions::receive, {transfer(TransferKind::receive, 0, size_bytes),
                                            transfer(TransferKind::receive, 1, size_bytes)});
  both.add_region(regions::wait, Complete::all());
  return schedule_of_ranks(
      {exchanging(TransferKind::send, 2, size_bytes), exchanging(TransferKind::send, 2, size_bytes), both},
      1);
}

}  // namespace

TEST_CASE("size factors: a message has those of the largest size below its own") {
  SmallPlatform platform(switched(2, "3us"));
  platform.costs().latency_factors = {{{1000, 2}, {50'000, 3}}};
  platform.costs().bandwidth_factors = {{{50'000, 0.5}, {500'000, 2}}};
  const auto time_s = [&](std::int64_t bytes) { return replay::replay(message(bytes), *platform).total_s; };
  CHECK(time_s(1000) == Approx(1e-3 + latency_s).epsilon(1e-7));
  CHECK(time_s(1001) == Approx(1.001e-3 + 2 * latency_s).epsilon(1e-7));
  CHECK(time_s(100'000) == Approx(0.1 / 0.5 + 3 * latency_s).epsilon(1e-7));
  CHECK(time_s(megabyte) == Approx(1 / 2. + 3 * latency_s).epsilon(1e-7));
}

TEST_CASE("size factors: what a message does not use of its share is lost, as in SimGrid's SMPI") {
  // smpirun -replay of SimGrid 3.32: 10 MB twice over a link of 1 GB/s take 40 ms with 0:0.5, 10 with 0:2.
  SmallPlatform platform(switched(3));
  platform.costs().bandwidth_factors = {{{0, 0.5}}};
  CHECK(replay::replay(two_to_one(megabyte), *platform).total_s == Approx(4.).epsilon(1e-7));
  platform.costs().bandwidth_factors = {{{0, 2}}};
  CHECK(replay::replay(two_to_one(megabyte), *platform).total_s == Approx(1.).epsilon(1e-7));
}

TEST_CASE("size factors: a rival is to blame for what a message takes longer than alone, factor included") {
  SmallPlatform platform(switched(3));
  platform.costs().bandwidth_factors = {{{0, 0.5}}};
  const Schedule schedule = two_to_one(megabyte);
  const SchedulePrograms programs(schedule);
  const auto found =
      replay::replay_contention({.schedule = &schedule, .platform = &*platform, .programs = &programs});
  REQUIRE(found.size() == 2);
  CHECK(found[0].late_s == Approx(4. - 2));
  CHECK(found[1].late_s == Approx(4. - 2));
}

TEST_CASE("size factors: a rendezvous has those of its message, and none for its request and its answer") {
  SmallPlatform platform(switched(2, "3us"));
  platform.costs().eager_limit_bytes = 1000;
  platform.costs().latency_factors = {{{0, 10}}};
  CHECK(replay::replay(message(100'000), *platform).total_s ==
        Approx(latency_s + latency_s + 0.1 + 10 * latency_s).epsilon(1e-7));
}

TEST_CASE("size factors: puts have none") {
  SmallPlatform platform(switched(2, "3us"));
  const Schedule put = schedule_of_ranks({exchanging(TransferKind::put, 1, 100'000), idle()}, 1);
  const double without_s = replay::replay(put, *platform).total_s;
  platform.costs().latency_factors = platform.costs().bandwidth_factors = {{{0, 0.5}}};
  CHECK(replay::replay(put, *platform).total_s == without_s);
}

TEST_CASE("size factors: the timeline's message arrives when its receiver goes on") {
  for (const double eager_bytes : {1000., 1e9}) {
    SmallPlatform platform(switched(2, "3us"));
    platform.costs().eager_limit_bytes = eager_bytes;
    platform.costs().latency_factors = {{{0, 100}}};
    const Schedule schedule = message(100'000);
    const replay::Timeline timeline = replay::replay_timeline(schedule, *platform, 1);
    REQUIRE(timeline.messages.size() == 1);
    CHECK(timeline.messages[0].end_s == Approx(replay::replay(schedule, *platform).total_s).epsilon(1e-7));
  }
}

TEST_CASE("size factors: networks that do not follow them are refused") {
  SmallPlatform platform(switched(2, "3us"));
  platform.costs().latency_factors = {{{0, 2}}};
  replay::ReplayOptions reference;
  reference.one_flow_per_message = true;
  CHECK_THROWS_WITH(replay::replay(message(8), *platform, reference),
                    Contains("not followed with one SimGrid"));
  platform.costs().replies_wait = true;
  CHECK_THROWS_WITH(replay::replay(message(8), *platform), Contains("only the network 'shared' follows"));
}
