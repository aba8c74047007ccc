// SPDX-License-Identifier: MIT
// Puts and gets that a later wait completes.
#include <catch2/catch.hpp>

#include "replay_both_ways.hpp"
#include "small_platform.hpp"
#include "traces/io/input_error.hpp"

using namespace finegrain;

namespace {

Post post_put(int peer, std::int64_t size_bytes = megabyte, std::int64_t repeat = 1) {
  return transfer(TransferKind::put, peer, size_bytes, repeat);
}
Post post_get(int peer, std::int64_t size_bytes = megabyte, std::int64_t repeat = 1) {
  return transfer(TransferKind::get, peer, size_bytes, repeat);
}

/// Starts its messages, works, waits.
Body starter(const std::vector<Post>& messages, std::int64_t work_bytes = 0) {
  const bool puts = !messages.empty() && messages.front().kind == TransferKind::put;
  Body iteration = one_region(puts ? regions::put : regions::get, messages);
  iteration.add_region(regions::compute, Work{work_bytes});
  iteration.add_region(regions::wait, Complete::all());
  return iteration;
}

/// Nodes a, b, c, whose links of 1 MB/s join in the fast NIC of a.
const char* fast_node_a = R"(
  <zone id="z" routing="Full">
    <host id="a" speed="1Gf"/> <host id="b" speed="1Gf"/> <host id="c" speed="1Gf"/>
    <link id="to_b" bandwidth="1MBps" latency="3us"/> <link id="to_c" bandwidth="1MBps" latency="5us"/>
    <route src="a" dst="b"><link_ctn id="to_b"/></route>
    <route src="a" dst="c"><link_ctn id="to_c"/></route>
    <route src="b" dst="c"><link_ctn id="to_b"/><link_ctn id="to_c"/></route>
  </zone>)";

}  // namespace

TEST_CASE("started: one message takes as long as if its rank blocked on it") {
  SmallPlatform platform(switched(2, "3us"));
  platform.costs().message_overhead_s = 1e-3;
  for (const Post& message : {post_put(1), post_get(1)}) {
    const auto blocked = replay_both_ways(
        schedule_of_ranks({one_region(regions::put, {blocking(message)}), idle()}, 1), *platform);
    const auto started = replay_both_ways(schedule_of_ranks({starter({message}), idle()}, 1), *platform);
    CHECK(started.total_s == Approx(1e-3 + 2 * (3e-6 + 3e-6) + 1. / 1).epsilon(1e-12));
    CHECK(started.total_s == Approx(blocked.total_s).epsilon(1e-12));
    CHECK(started.ranks[0].phases_s[0] == Approx(1e-3).epsilon(1e-9));
    CHECK(started.flows == 1);
  }
}

TEST_CASE("started: gets from two nodes overlap, where blocking ones follow one another") {
  SmallPlatform platform(fast_node_a);
  platform.costs().message_overhead_s = 0.25;
  const auto started = replay_both_ways(
      schedule_of_ranks({starter({post_get(1), post_get(2)}), idle(), idle()}, 1), *platform);
  // The second starts at 0.5 s, has its link for itself, and its reply comes the same way back.
  CHECK(started.total_s == Approx(2 * 0.25 + 1. / 1 + 2 * 5e-6).epsilon(1e-12));
  const auto blocked = replay_both_ways(
      schedule_of_ranks(
          {one_region(regions::get, {blocking(post_get(1)), blocking(post_get(2))}), idle(), idle()}, 1),
      *platform);
  CHECK(blocked.total_s == Approx(2 * 0.25 + 2 * 3e-6 + 2 * 5e-6 + 2. / 1).epsilon(1e-12));
}

TEST_CASE("started: gets from two ranks of one node share its NIC") {
  SmallPlatform platform(switched(2, "3us"));
  const auto result = replay_both_ways(
      schedule_of_ranks({starter({post_get(2), post_get(3, 3 * megabyte)}), idle(), idle(), idle()}, 2),
      *platform);
  CHECK(result.flows == 2);
  // Half the rate each until the first is through at 2 s; then 2 MB of the second are left.
  CHECK(result.total_s == Approx(2. / 1 + 2. / 1 + 2 * (3e-6 + 3e-6)).epsilon(1e-12));
}

TEST_CASE("started: work between start and wait hides a transfer, or as much of it as the work takes") {
  SmallPlatform platform(switched(2, "3us"));
  const auto wait_s = [&](std::int64_t work_bytes) {
    const auto result =
        replay_both_ways(schedule_of_ranks({starter({post_put(1)}, work_bytes), idle()}, 1), *platform);
    CHECK(result.ranks[0].phases_s[1] ==
          Approx(static_cast<double>(work_bytes) / second_of_memory).epsilon(1e-9));
    return result.ranks[0].phases_s[2];
  };
  CHECK(wait_s(3 * second_of_memory) == 0);
  CHECK(wait_s(second_of_memory / 4) == Approx(1. / 1 + 2 * (3e-6 + 3e-6) - 0.25).epsilon(1e-9));
  // The flow has ended when the wait begins, its acknowledgement is on the way.
  CHECK(wait_s(second_of_memory + 12'000) == Approx(2 * (3e-6 + 3e-6) - 1e-6).epsilon(1e-6));
}

TEST_CASE("started: within a node the copy is made at once, and its latency counts towards the wait") {
  SmallPlatform platform(switched(1));
  platform.costs().local_latency_s = 0.5;
  platform.costs().message_overhead_s = 100;  // between nodes only
  const std::vector<Post> puts{post_put(1, second_of_memory), post_put(1, second_of_memory, 2)};
  const auto result = replay_both_ways(schedule_of_ranks({starter(puts), idle()}, 2), *platform);
  CHECK(result.ranks[0].phases_s[0] == Approx(2 * 1. + 2 * 2.).epsilon(1e-9));
  CHECK(result.ranks[0].phases_s[2] == Approx(0.5).epsilon(1e-9));
  const auto hidden =
      replay_both_ways(schedule_of_ranks({starter(puts, second_of_memory), idle()}, 2), *platform);
  CHECK(hidden.ranks[0].phases_s[2] == 0);
  CHECK(result.flows == 0);
}

TEST_CASE("started: a rank's own block is a copy without latency") {
  SmallPlatform platform(switched(1));
  platform.costs().local_latency_s = 0.5;
  const auto result = replay_both_ways(schedule_of_ranks({starter({post_put(0, 12'000)})}, 1), *platform);
  CHECK(result.total_s == Approx(2 * 12e3 / 12e9).epsilon(1e-9));
}

TEST_CASE("started: messages with one peer are one flow, which starts with the first, and an overhead each") {
  SmallPlatform platform(switched(2, "3us"));
  platform.costs().message_overhead_s = 1e-4;
  const std::vector<Post> one_by_one(500, post_get(1, 1000));
  for (const auto& messages : {one_by_one, {post_get(1, 1000, 500)}}) {
    const auto result = replay_both_ways(schedule_of_ranks({starter(messages), idle()}, 1), *platform);
    CHECK(result.flows == 1);
    CHECK(result.ranks[0].phases_s[0] == Approx(500 * 1e-4).epsilon(1e-9));
    CHECK(result.total_s == Approx(1e-4 + 500 * 1e-3 + 2 * (3e-6 + 3e-6)).epsilon(1e-9));
  }
}

TEST_CASE("started: small messages are complete a round trip after the last overhead") {
  SmallPlatform platform(switched(2, "3us"));
  platform.costs().message_overhead_s = 1e-3;
  const auto result =
      replay_both_ways(schedule_of_ranks({starter({post_put(1, 8, 500)}), idle()}, 1), *platform);
  CHECK(result.total_s == Approx(500 * 1e-3 + 2 * (3e-6 + 3e-6)).epsilon(1e-9));
}

TEST_CASE("started: a wait for nothing is free") {
  SmallPlatform platform(switched(1));
  const auto result = replay_both_ways(schedule_of_ranks({starter({}, second_of_memory)}, 1), *platform);
  CHECK(result.ranks[0].phases_s[2] == 0);
  CHECK(result.total_s == Approx(1.).epsilon(1e-9));
}

TEST_CASE("started: after a wait, puts and gets that block do so as without one") {
  SmallPlatform platform(switched(2));
  Body iteration = starter({post_put(1)});
  iteration.begin_region(regions::get);
  iteration.add(blocking(post_get(1)));
  iteration.add(blocking(post_get(1)));
  const auto result = replay_both_ways(schedule_of_ranks({iteration, idle()}, 1), *platform);
  CHECK(result.ranks[0].phases_s[3] == Approx(2 * 1. / 1).epsilon(1e-9));
}

TEST_CASE("started: what a rank starts must be waited for, what it blocks on must not") {
  SmallPlatform platform(switched(2));
  CHECK_THROWS_WITH(
      replay_both_ways(schedule_of_ranks({one_region(regions::put, {post_put(1)}), idle()}, 1), *platform),
      Catch::Contains("rank 0 never waits"));
  CHECK_NOTHROW(replay_both_ways(
      schedule_of_ranks({one_region(regions::put, {blocking(post_put(1))}), idle()}, 1), *platform));
}
