// SPDX-License-Identifier: MIT
// Waits for some requests, tags and communicators, and messages that their ranks block on.
#include <catch2/catch.hpp>

#include "replay_both_ways.hpp"
#include "sim/replay/engine/requests.hpp"
#include "sim/replay/timeline.hpp"
#include "small_platform.hpp"

using namespace finegrain;
using namespace finegrain::replay;
using Catch::Matchers::Contains;

namespace {

Post send(int peer, std::int64_t size_bytes, std::int32_t tag = 0, std::int32_t communicator = 0) {
  return tagged(transfer(TransferKind::send, peer, size_bytes), tag, communicator);
}
Post receive(int peer, std::int64_t size_bytes, std::int32_t tag = 0, std::int32_t communicator = 0) {
  return tagged(transfer(TransferKind::receive, peer, size_bytes), tag, communicator);
}

/// Posts, then waits for all.
Body posting(const std::vector<Post>& posts) {
  return one_region(regions::send, posts).add_region(regions::wait, Complete::all());
}

}  // namespace

TEST_CASE("wait for one of two requests: the rank goes on when that one is there") {
  // Two senders on nodes of their own, 1 MB and 3 MB over links of 1 MB/s, into the receiver's: half the rate
  // each until the first is through at 2 s; then 2 MB of the second are left.
  SmallPlatform platform(switched(3));
  const auto receiver = [](const Complete& first) {
    Body body = one_region(regions::receive, {receive(1, megabyte), receive(2, 3 * megabyte)});
    body.add_region(regions::wait, first);
    body.add_region(regions::unpack, Work{second_of_memory});
    body.add_region(regions::wait, Complete::all());
    return body;
  };
  const auto replayed = [&](const Complete& first) {
    return replay_both_ways(
        schedule_of_ranks({receiver(first), posting({send(0, megabyte)}), posting({send(0, 3 * megabyte)})},
                          1),
        *platform);
  };
  const auto older = replayed({.oldest = 2, .count = 1});
  CHECK(older.ranks[0].phases_s[1] == Approx(2.).epsilon(1e-9));
  CHECK(older.ranks[0].phases_s[3] == Approx(1.).epsilon(1e-9));  // 1 s of 2 s went by in the work
  CHECK(older.total_s == Approx(2. + 2.).epsilon(1e-9));
  const auto newer = replayed({.oldest = 1, .count = 1});
  CHECK(newer.ranks[0].phases_s[1] == Approx(2. + 2.).epsilon(1e-9));
  CHECK(newer.ranks[0].phases_s[3] == 0);
  const auto both = replayed({.oldest = 2, .count = 2});
  CHECK(both.ranks[0].phases_s[1] == Approx(2. + 2.).epsilon(1e-9));
}

TEST_CASE("wait for one of two requests: started gets of one peer are then a flow each") {
  SmallPlatform platform(switched(2, "3us"));
  Body body = one_region(
      regions::get, {transfer(TransferKind::get, 1, megabyte), transfer(TransferKind::get, 1, 2 * megabyte)});
  body.add_region(regions::wait, Complete{.oldest = 2, .count = 1});
  body.add_region(regions::wait, Complete::all());
  const auto result = replay_both_ways(schedule_of_ranks({body, idle()}, 1), *platform);
  CHECK(result.flows == 2);
  // Half the rate each until the first is through at 2 s, then 1 MB is left.
  CHECK(result.ranks[0].phases_s[1] == Approx(2. + 2 * (3e-6 + 3e-6)).epsilon(1e-9));
  CHECK(result.total_s == Approx(2. + 1. + 2 * (3e-6 + 3e-6)).epsilon(1e-9));
}

TEST_CASE("wait for requests of one node in another order than they are delivered") {
  SmallPlatform platform(switched(1));
  // The sender copies for 1 s, then for 2 s: each message is loaded and stored.
  const Body sender = posting({send(1, second_of_memory / 2, 7), send(1, second_of_memory, 7)});
  Body receiver =
      one_region(regions::receive, {receive(0, second_of_memory / 2, 7), receive(0, second_of_memory, 7)});
  receiver.add_region(regions::wait, Complete{.oldest = 1, .count = 1});
  receiver.add_region(regions::wait, Complete{.oldest = 2, .count = 1});
  const auto result = replay_both_ways(schedule_of_ranks({sender, receiver}, 2), *platform);
  CHECK(result.ranks[1].phases_s[1] == Approx(1. + 2.).epsilon(1e-9));
  CHECK(result.ranks[1].phases_s[2] == 0);
}

TEST_CASE("tags: messages that cross are matched by tag, also where they are expected in another order") {
  // 1 MB of tag 1 leaves at 0 s; 3 MB of tag 2 leave with it. The receiver asks for tag 2 first.
  for (const auto& [one, other] : {std::pair{std::pair{1, 0}, std::pair{2, 0}}, {{5, 1}, {5, 2}}}) {
    SmallPlatform platform(switched(2));
    const Body sender =
        posting({send(1, megabyte, one.first, one.second), send(1, 3 * megabyte, other.first, other.second)});
    Body receiver = one_region(regions::receive, {receive(0, 3 * megabyte, other.first, other.second),
                                                  receive(0, megabyte, one.first, one.second)});
    receiver.add_region(regions::wait, Complete{.oldest = 1, .count = 1});
    receiver.add_region(regions::wait, Complete::all());
    const auto result = replay_both_ways(schedule_of_ranks({sender, receiver}, 1), *platform);
    CHECK(result.ranks[1].phases_s[1] == Approx(2.).epsilon(1e-9));  // half the rate
    CHECK(result.ranks[1].phases_s[2] == Approx(2.).epsilon(1e-9));
  }
}

TEST_CASE("tags: a message is not received by another tag or communicator") {
  SmallPlatform platform(switched(2));
  const auto replayed = [&](const Post& sent, const Post& received) {
    return replay::replay(schedule_of_ranks({posting({sent}), posting({received})}, 1), *platform);
  };
  CHECK_NOTHROW(replayed(send(1, 8, 3, 4), receive(0, 8, 3, 4)));
  CHECK_THROWS_WITH(
      replayed(send(1, 8, 3), receive(0, 8, 4)),
      Contains("rank 0 sends 1 message to rank 1 with tag 3 on communicator 0, which receives 0"));
  CHECK_THROWS_WITH(replayed(send(1, 8, 0, 1), receive(0, 8)), Contains("on communicator 1"));
}

TEST_CASE("blocking send and receive: the sender goes on when its message has left, the receiver has it") {
  SmallPlatform platform(switched(2, "3us"));
  Body sender = one_region(regions::send, {blocking(send(1, megabyte)), send(1, megabyte)});
  sender.add_region(regions::wait, Complete{.oldest = 1, .count = 1});
  const Body receiver =
      one_region(regions::receive, {blocking(receive(0, megabyte)), blocking(receive(0, megabyte))});
  const auto result = replay_both_ways(schedule_of_ranks({sender, receiver}, 1, 3), *platform, {0});
  CHECK(result.ranks[0].phases_s[0] == Approx(3 * 1.).epsilon(1e-9));
  CHECK(result.ranks[0].phases_s[1] == Approx(3 * 1.).epsilon(1e-9));
  CHECK(result.ranks[1].finish_s == Approx(3 * 2. + 2 * 3e-6).epsilon(1e-9));
}

TEST_CASE("requests that do not exist, or that nobody waits for, are refused by rank") {
  SmallPlatform platform(switched(2));
  const auto replayed = [&](const Complete& complete) {
    Body body =
        one_region(regions::get, {transfer(TransferKind::get, 1, 8), transfer(TransferKind::get, 1, 8)});
    body.add_region(regions::wait, complete);
    return replay::replay(schedule_of_ranks({body, idle()}, 1), *platform);
  };
  CHECK_THROWS_WITH(replayed({.oldest = 3, .count = 1}), Contains("rank 0 waits for 1 requests"));
  CHECK_THROWS_WITH(replayed({.oldest = 1, .count = 2}), Contains("rank 0 waits for 2 requests"));
  CHECK_THROWS_WITH(replayed({.oldest = 2, .count = 1}), Contains("rank 0 never waits"));
  CHECK_NOTHROW(replayed({.oldest = 2, .count = 2}));
}

TEST_CASE("timeline: what a rank waits for alone is on the critical path, without a gap") {
  SmallPlatform platform(switched(3));
  Body receiver = one_region(regions::receive, {receive(1, megabyte), receive(2, megabyte / 4)});
  receiver.add_region(regions::wait, Complete{.oldest = 1, .count = 1});
  receiver.add_region(regions::compute, Work{5 * second_of_memory});
  receiver.add_region(regions::wait, Complete::all());
  const Timeline timeline = replay_timeline(
      schedule_of_ranks({receiver, posting({send(0, megabyte)}), posting({send(0, megabyte / 4)})}, 1),
      *platform, 1);
  REQUIRE(timeline.critical_path.size() == 2);
  CHECK(timeline.critical_path[0].kind == PathPiece::Kind::transfer);
  CHECK(timeline.critical_path[0].peer == 2);
  CHECK(timeline.critical_path[0].end_s == Approx(0.5));  // 0.25 MB at half the rate
  CHECK(timeline.critical_path[1].end_s == Approx(0.5 + 5.));
}

TEST_CASE("requests: those that were waited for are forgotten, however many were made") {
  Requests requests;
  for (int round = 0; round < 1000; ++round) {
    requests.open(3);
    requests.start();
    CHECK_FALSE(requests.wait_for(1, 1));
    CHECK(requests.finish(requests.newest(), {.at_s = round + 0.5}, {.came_s = 1. * round}));
    CHECK(requests.end_wait().done.at_s == round + 0.5);
    CHECK(requests.wait_for(3, 2));
    CHECK(requests.end_wait().done.at_s == 0);
  }
  CHECK(requests.newest() == 3 * 1000);
}

TEST_CASE("requests: a blocking transfer's is forgotten, also where all before it are") {
  Requests requests;
  for (int round = 1; round < 5; ++round) {
    CHECK(requests.wait_for_all());
    requests.end_wait();
    requests.open(1);
    requests.start();
    CHECK_FALSE(requests.wait_for(1, 1));
    CHECK(requests.finish(requests.newest(), {.at_s = 1. * round}, {}));
    CHECK(requests.end_wait().done.at_s == round);
    requests.close();
    CHECK(requests.newest() == 0);
  }
}
