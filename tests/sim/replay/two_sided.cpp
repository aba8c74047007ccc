// SPDX-License-Identifier: MIT
#include <catch2/catch.hpp>

#include "replay_both_ways.hpp"
#include "small_platform.hpp"

using namespace finegrain;

namespace {

Body sender(std::int64_t work_bytes, int peer, int messages = 1, std::int64_t size_bytes = megabyte) {
  Body iteration = one_region(regions::pack, Work{work_bytes});
  iteration.begin_region(regions::send);
  for (int m = 0; m < messages; ++m)
    iteration.add(transfer(TransferKind::send, peer, size_bytes));
  iteration.add_region(regions::wait, Complete::all());
  return iteration;
}

/// Posts its receives, works, waits.
Body receiver(std::int64_t work_bytes, int peer, int messages = 1, std::int64_t size_bytes = megabyte) {
  Body iteration = one_region(regions::receive);
  for (int m = 0; m < messages; ++m)
    iteration.add(transfer(TransferKind::receive, peer, size_bytes));
  iteration.add_region(regions::copy, Work{work_bytes});
  iteration.add_region(regions::wait, Complete::all());
  return iteration;
}

}  // namespace

TEST_CASE("wait: the receiver waits for the flow's end and the latency") {
  SmallPlatform platform(switched(2, "3us"));
  const auto result = replay_both_ways(schedule_of_ranks({sender(0, 1), receiver(0, 0)}, 1), *platform);
  CHECK(result.ranks[0].finish_s == Approx(1. / 1).epsilon(1e-12));
  CHECK(result.ranks[1].finish_s == Approx(1. / 1 + 2 * 3e-6).epsilon(1e-12));
  CHECK(result.ranks[1].phases_s[2] == Approx(1. / 1 + 2 * 3e-6).epsilon(1e-12));
}

TEST_CASE("wait: a message that came during the work is not waited for") {
  SmallPlatform platform(switched(2, "3us"));
  const auto result =
      replay_both_ways(schedule_of_ranks({sender(0, 1), receiver(3 * second_of_memory, 0)}, 1), *platform);
  CHECK(result.ranks[1].phases_s[1] == Approx(3.).epsilon(1e-9));
  CHECK(result.ranks[1].phases_s[2] == 0);
}

TEST_CASE("send: a flow starts when it is sent, not when the receive is posted") {
  SmallPlatform platform(switched(2));
  Body late = one_region(regions::compute, Work{3 * second_of_memory});
  late.begin_region(regions::receive);
  late.add(transfer(TransferKind::receive, 0, megabyte));
  late.add_region(regions::wait, Complete::all());
  const auto result = replay_both_ways(schedule_of_ranks({sender(0, 1), late}, 1), *platform);
  CHECK(result.ranks[0].finish_s == Approx(1. / 1).epsilon(1e-9));
  CHECK(result.ranks[1].finish_s == Approx(3.).epsilon(1e-9));
}

TEST_CASE("send: each message costs its sender the overhead, and the flows go on meanwhile") {
  SmallPlatform platform(switched(2));
  platform.costs().message_overhead_s = 0.25;
  const auto result = replay_both_ways(schedule_of_ranks({sender(0, 1, 2), receiver(0, 0, 2)}, 1), *platform);
  CHECK(result.ranks[0].phases_s[1] == Approx(2 * 0.25).epsilon(1e-9));
  // The first starts at 0.25 s, alone until the second starts at 0.5 s: 0.25 MB. Both at half the rate until
  // the first's other 0.75 MB are through at 2 s; the second's last 0.25 MB take 0.25 s.
  CHECK(result.ranks[0].finish_s == Approx(0.5 + 2 * 0.75 + 0.25).epsilon(1e-9));
  CHECK(result.ranks[1].finish_s == Approx(0.5 + 2 * 0.75 + 0.25).epsilon(1e-9));
}

TEST_CASE("local message: the sender copies it, the receiver has it a latency later") {
  SmallPlatform platform(switched(1));
  platform.costs().local_latency_s = 1e-3;
  platform.costs().message_overhead_s = 1;  // between nodes only
  const auto result = replay_both_ways(
      schedule_of_ranks({sender(0, 1, 1, second_of_memory), receiver(0, 0, 1, second_of_memory)}, 2),
      *platform);
  CHECK(result.ranks[0].phases_s[1] == Approx(2.).epsilon(1e-9));
  CHECK(result.ranks[0].finish_s == Approx(2.).epsilon(1e-9));
  CHECK(result.ranks[1].finish_s == Approx(2. + 1e-3).epsilon(1e-9));
  CHECK(result.flows == 0);
}

TEST_CASE("messages of a pair are matched in order, also when the sender is iterations ahead") {
  // The sender never waits for the receiver: its k-th message leaves at k s. The receiver works 5 s an
  // iteration.
  for (const int ranks_per_node : {1, 2}) {
    SmallPlatform platform(switched(2));
    const auto size_bytes = ranks_per_node == 1 ? megabyte : second_of_memory / 2;  // either takes 1 s
    const auto result = replay_both_ways(
        schedule_of_ranks({sender(0, 1, 1, size_bytes), receiver(5 * second_of_memory, 0, 1, size_bytes)},
                          ranks_per_node, 4),
        *platform);
    CHECK(result.ranks[0].finish_s == Approx(4 * 1.).epsilon(1e-9));
    CHECK(result.ranks[1].finish_s == Approx(4 * 5.).epsilon(1e-9));
    CHECK(result.ranks[1].phases_s[2] == 0);
  }
}

TEST_CASE("an empty message still has to arrive") {
  SmallPlatform platform(switched(2, "3us"));
  const auto result = replay_both_ways(
      schedule_of_ranks({sender(second_of_memory, 1, 1, 0), receiver(0, 0, 1, 0)}, 1), *platform);
  CHECK(result.ranks[1].finish_s == Approx(1. + 2 * 3e-6).epsilon(2e-6));
}

TEST_CASE("send: one that is buffered keeps its sender nowhere, and its receiver as long as ever") {
  SmallPlatform platform(switched(2, "3us"));
  platform.costs().buffered_limit_bytes = megabyte;
  const auto result = replay::replay(schedule_of_ranks({sender(0, 1), receiver(0, 0)}, 1), *platform);
  CHECK(result.ranks[0].finish_s == 0);
  CHECK(result.ranks[1].finish_s == Approx(1. / 1 + 2 * 3e-6).epsilon(1e-12));
  platform.costs().buffered_limit_bytes = megabyte - 1;
  const auto waits = replay::replay(schedule_of_ranks({sender(0, 1), receiver(0, 0)}, 1), *platform);
  CHECK(waits.ranks[0].finish_s == Approx(1. / 1).epsilon(1e-12));
}

TEST_CASE(
    "send: a long one that is buffered keeps its sender until the answer of its receiver, who comes late") {
  // The receiver comes after 1 s. Its answer takes 6 us, the bytes 1 s, and they are there 6 us later.
  Body late;
  late.add_region(regions::send, Work{second_of_memory});
  late.begin_region(regions::receive);
  late.add(transfer(TransferKind::receive, 0, megabyte));
  late.add(Complete::all());
  for (const bool replies_wait : {false, true}) {
    SmallPlatform platform(switched(2, "3us"));
    platform.costs().replies_wait = replies_wait;
    platform.costs().eager_limit_bytes = 100;
    platform.costs().buffered_limit_bytes = megabyte;
    const Schedule schedule = schedule_of_ranks({sender(0, 1), late}, 1);
    const auto result = replay::replay(schedule, *platform);
    CHECK(result.ranks[0].finish_s == Approx(1. + 6e-6).epsilon(1e-12));
    CHECK(result.ranks[1].finish_s == Approx(2. + 2 * 6e-6).epsilon(1e-12));
    platform.costs().buffered_limit_bytes = megabyte - 1;
    const auto waits = replay::replay(schedule, *platform);
    CHECK(waits.ranks[0].finish_s == Approx(2. + 6e-6).epsilon(1e-12));
    CHECK(waits.ranks[1].finish_s == result.ranks[1].finish_s);
  }
}

TEST_CASE("send: of messages of one rank that are buffered, all share the link from the start") {
  // A rank whose blocking sends wait until their bytes have left sends one after the other: ends at 1 and 2
  // s.
  SmallPlatform platform(switched(3));
  Body blocking;
  blocking.begin_region(regions::send);
  for (const int peer : {1, 2}) {
    Post post = transfer(TransferKind::send, peer, megabyte);
    post.blocking = true;
    blocking.add(post);
  }
  const Schedule schedule = schedule_of_ranks({blocking, receiver(0, 0), receiver(0, 0)}, 1);
  CHECK(replay::replay(schedule, *platform).ranks[1].finish_s == Approx(1.));
  platform.costs().buffered_limit_bytes = megabyte;
  CHECK(replay::replay(schedule, *platform).ranks[1].finish_s == Approx(2.));
  CHECK(replay::replay(schedule, *platform).ranks[2].finish_s == Approx(2.));
}
