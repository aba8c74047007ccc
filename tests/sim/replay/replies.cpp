// SPDX-License-Identifier: MIT
// Connections that keep an order: replies wait behind data that goes the same way (docs/platforms.md).
#include <catch2/catch.hpp>

#include "sim/replay/replay.hpp"
#include "small_platform.hpp"
#include "traces/io/input_error.hpp"

using namespace finegrain;

namespace {

Body one(const Post& post) {
  Body body = one_region(regions::put, {post});
  return body.add_region(regions::wait, Complete::all());
}
Body puts(int peer, std::int64_t bytes) {
  return one(blocking(transfer(TransferKind::put, peer, bytes)));
}

double end_of(const Schedule& schedule, SmallPlatform& platform, std::size_t rank) {
  return replay::replay(schedule, *platform).ranks[rank].finish_s;
}

/// Replies at once, then behind data.
std::pair<double, double> both_ways(const std::vector<Body>& ranks, SmallPlatform& platform,
                                    std::size_t rank) {
  const Schedule schedule = schedule_of_ranks(ranks, 1);
  platform.costs().replies_wait = false;
  const double at_once_s = end_of(schedule, platform, rank);
  platform.costs().replies_wait = true;
  return {at_once_s, end_of(schedule, platform, rank)};
}

}  // namespace

TEST_CASE("replies: that a put has arrived is known when what its target sends the same way has left") {
  SmallPlatform platform(switched(3));
  // The answer to rank 0's 1 MB waits behind rank 1's 2 MB to rank 0.
  const auto to_origin = both_ways({puts(1, megabyte), puts(0, 2 * megabyte), idle()}, platform, 0);
  CHECK(to_origin.first == Approx(1. / 1).epsilon(1e-9));
  CHECK(to_origin.second == Approx(2. / 1).epsilon(1e-9));
  // What goes to another rank has a connection of its own.
  const auto to_other = both_ways({puts(1, megabyte), puts(2, 2 * megabyte), idle()}, platform, 0);
  CHECK(to_other.second == Approx(1. / 1).epsilon(1e-9));
}

TEST_CASE("replies: a get begins when its request has passed what its rank sends the same way") {
  SmallPlatform platform(switched(2));
  Body body = one_region(regions::put, {transfer(TransferKind::put, 1, 2 * megabyte)});
  body.add_region(regions::get, blocking(transfer(TransferKind::get, 1, megabyte)));
  body.add_region(regions::wait, Complete::all());
  const auto ends = both_ways({body, idle()}, platform, 0);
  CHECK(ends.first == Approx(2. / 1).epsilon(1e-9));          // both at once, over links of both ways
  CHECK(ends.second == Approx((2. + 1.) / 1).epsilon(1e-9));  // one after the other
}

TEST_CASE("replies: latencies and overheads are those of replies that pass at once") {
  SmallPlatform platform(switched(2, "3us"));
  platform.costs().message_overhead_s = 1e-3;
  for (const TransferKind kind : {TransferKind::put, TransferKind::get}) {
    for (const bool blocks : {false, true}) {
      Post post = transfer(kind, 1, megabyte);
      post.blocking = blocks;
      const auto ends = both_ways({one(post), idle()}, platform, 0);
      CHECK(ends.second == Approx(1e-3 + 2 * (3e-6 + 3e-6) + 1. / 1).epsilon(1e-12));
      CHECK(ends.first == Approx(ends.second).epsilon(1e-12));
    }
  }
}

TEST_CASE(
    "replies: permission to send a long message waits as well, and a message that waits for it ends later") {
  SmallPlatform platform(switched(2));
  platform.costs().eager_limit_bytes = megabyte / 10;
  // Rank 1 sends 2 MB that need no permission of rank 0 (a put), then permits rank 0's 1 MB.
  Body permits = one_region(regions::put, {transfer(TransferKind::put, 0, 2 * megabyte)});
  permits.add_region(regions::receive, transfer(TransferKind::receive, 0, megabyte));
  permits.add_region(regions::wait, Complete::all());
  Body sends = one_region(regions::send, {transfer(TransferKind::send, 1, megabyte)});
  sends.add_region(regions::wait, Complete::all());
  const auto ends = both_ways({sends, permits}, platform, 0);
  CHECK(ends.first == Approx(1. / 1).epsilon(1e-9));
  CHECK(ends.second == Approx((2. + 1.) / 1).epsilon(1e-9));
}

TEST_CASE("request_bytes: so many bytes of a long message go before its receiver is there") {
  SmallPlatform platform(switched(2));
  platform.costs().eager_limit_bytes = megabyte / 10;
  Body late = one_region(regions::compute, Work{second_of_memory / 2});
  late.add_region(regions::receive, transfer(TransferKind::receive, 0, megabyte));
  late.add_region(regions::wait, Complete::all());
  Body sends = one_region(regions::send, {transfer(TransferKind::send, 1, megabyte)});
  sends.add_region(regions::wait, Complete::all());
  const Schedule schedule = schedule_of_ranks({sends, late}, 1);
  CHECK(end_of(schedule, platform, 1) == Approx(0.5 + 1. / 1).epsilon(1e-9));
  platform.costs().request_bytes = megabyte / 4;
  CHECK(end_of(schedule, platform, 1) == Approx(0.5 + 0.75 / 1).epsilon(1e-9));
  platform.costs().request_bytes = 2 * megabyte;  // all of it
  CHECK(end_of(schedule, platform, 1) == Approx(1. / 1).epsilon(1e-9));
}

TEST_CASE("replies: two ranks that get in turn fall into step, for who has its data asks before it answers") {
  SmallPlatform platform(switched(3));
  platform.costs().message_overhead_s = 0.01;
  const auto add_gets = [](Body& body, int peer) {
    for (int i = 0; i < 4; ++i)
      body.add_region(regions::get, blocking(transfer(TransferKind::get, peer, megabyte)));
  };
  Body first = idle();
  add_gets(first, 1);
  Body later = one_region(regions::get, {blocking(transfer(TransferKind::get, 2, megabyte / 10))});
  add_gets(later, 0);
  // Rank 1's first request waits behind rank 0's first data. Then each sends beside what it gets.
  const std::vector<Body> ranks = {first, later, idle()};
  CHECK(both_ways(ranks, platform, 0).second == Approx(4 * (0.01 + 1)).epsilon(1e-9));
  CHECK(both_ways(ranks, platform, 1).second == Approx(5 * (0.01 + 1)).epsilon(1e-9));
}

TEST_CASE("replies: of two that put long messages to each other, the later one waits for all of the other") {
  SmallPlatform platform(switched(2));
  platform.costs().request_bytes = megabyte / 4;
  const auto put_to = [](int peer, std::int64_t late_bytes) {
    Body body = one_region(regions::compute, Work{late_bytes});
    body.add_region(regions::put, blocking(transfer(TransferKind::put, peer, megabyte)));
    return body;
  };
  // Rank 0 is permitted when the request of rank 1 has arrived, at 0.35 s, and sends its rest before it
  // permits that.
  const std::vector<Body> one_later = {put_to(1, 0), put_to(0, second_of_memory / 10)};
  CHECK(both_ways(one_later, platform, 1).first == Approx(0.1 + 1. / 1).epsilon(1e-9));
  CHECK(both_ways(one_later, platform, 1).second == Approx(0.35 + 2 * 0.75 / 1).epsilon(1e-9));
}

TEST_CASE("replies: a rank that works answers when it is in a call again") {
  SmallPlatform platform(switched(2));
  Body works = one_region(regions::compute, Work{3 * second_of_memory});
  works.add_region(regions::put, blocking(transfer(TransferKind::put, 0, megabyte)));
  const std::vector<Body> ranks = {puts(1, megabyte), works};
  CHECK(both_ways(ranks, platform, 0).first == Approx(1. / 1).epsilon(1e-9));
  // Behind what rank 1 calls for first.
  CHECK(both_ways(ranks, platform, 0).second == Approx(3 + 1. / 1).epsilon(1e-9));
}

TEST_CASE("replies: the rest of a long message goes when its rank is in a call again") {
  SmallPlatform platform(switched(2));
  platform.costs().request_bytes = megabyte / 4;
  // Permission comes at 0.25 s, while the rank that puts is at work.
  Body works = one_region(regions::put, {transfer(TransferKind::put, 1, megabyte)});
  works.add_region(regions::compute, Work{second_of_memory});
  works.add_region(regions::wait, Complete::all());
  CHECK(both_ways({works, idle()}, platform, 0).first == Approx(1. / 1).epsilon(1e-9));
  CHECK(both_ways({works, idle()}, platform, 0).second == Approx(1 + 0.75 / 1).epsilon(1e-9));
}

TEST_CASE("replies: the rank that comes to a barrier last leaves it first, and the other answers it first") {
  SmallPlatform platform(switched(2, "0.05s"));
  platform.costs().request_bytes = megabyte / 5;
  const auto gets_from = [](int peer, std::int64_t late_bytes) {
    Body body = one_region(regions::compute, Work{late_bytes});
    body.add_region(regions::barrier, Collective{});
    body.add_region(regions::get, transfer(TransferKind::get, peer, megabyte));
    return body.add_region(regions::wait, Complete::all());
  };
  const std::vector<Body> ranks = {gets_from(1, 0), gets_from(0, second_of_memory)};
  // Rank 1 leaves the barrier at 1 s. Its request arrives at 1.1 s, with the message by which rank 0 leaves.
  // So rank 0's 0.2 MB come first, until 1.3 s, and its own request after them, at 1.4 s. By then rank 1 has
  // permitted the rest, at 1.4 s, which it gets until 2.3 s; rank 0 permits behind that, when rank 1's 0.2 MB
  // are there, and gets its rest.
  const auto ends = both_ways(ranks, platform, 1);
  const double alone_s = 0.1 + 0.2 + 0.1 + 0.1 + 0.8 + 0.1;  // request, part, permission, rest
  CHECK(ends.first == Approx(1 + 0.1 + alone_s).epsilon(1e-9));
  CHECK(ends.second == Approx(1 + alone_s).epsilon(1e-9));
  CHECK(both_ways(ranks, platform, 0).second == Approx(ends.second + 0.8 + 0.1).epsilon(1e-9));
}

TEST_CASE("link_queues: where links serve what comes first, a sender's link is free before all has arrived") {
  // Node 0's link carries 2 MB/s, the others' 1 MB/s.
  const std::string fast_and_slow = R"(
    <zone id="z" routing="Full">
      <host id="node-0" speed="1Gf"/><host id="node-1" speed="1Gf"/><host id="node-2" speed="1Gf"/>
      <link id="l0" bandwidth="2MBps" latency="0s" sharing_policy="SPLITDUPLEX"/>
      <link id="l1" bandwidth="1MBps" latency="0s" sharing_policy="SPLITDUPLEX"/>
      <link id="l2" bandwidth="1MBps" latency="0s" sharing_policy="SPLITDUPLEX"/>
      <route src="node-0" dst="node-1"><link_ctn id="l0" direction="UP"/><link_ctn id="l1" direction="DOWN"/></route>
      <route src="node-0" dst="node-2"><link_ctn id="l0" direction="UP"/><link_ctn id="l2" direction="DOWN"/></route>
      <route src="node-1" dst="node-2"><link_ctn id="l1" direction="UP"/><link_ctn id="l2" direction="DOWN"/></route>
    </zone>)";
  SmallPlatform platform(fast_and_slow);
  const auto receives = [](std::vector<Post> posts) {
    return one_region(regions::receive, posts).add_region(regions::wait, Complete::all());
  };
  const auto sends = [](int peer, std::int64_t late_bytes, std::int64_t bytes = megabyte) {
    Body body = one_region(regions::compute, Work{late_bytes});
    body.add_region(regions::send, transfer(TransferKind::send, peer, bytes));
    return body.add_region(regions::wait, Complete::all());
  };
  // Node 0's 1 MB are in front of node 2's link at 0.5 s, when node 1 begins to send. In shares, node 0's
  // have 0.5 MB left then, and end at 1.5 s; in order, at 1 s. Both end at 2 s.
  const std::vector<Body> ranks = {sends(2, 0), sends(2, second_of_memory / 2),
                                   receives({blocking(transfer(TransferKind::receive, 0, megabyte)),
                                             blocking(transfer(TransferKind::receive, 1, megabyte))})};
  const Schedule schedule = schedule_of_ranks(ranks, 1);
  CHECK(end_of(schedule, platform, 0) == Approx(1.5).epsilon(1e-9));
  CHECK(end_of(schedule, platform, 2) == Approx(2.).epsilon(1e-9));
  platform.costs().links_in_order = true;
  CHECK(end_of(schedule, platform, 0) == Approx(1.).epsilon(1e-9));
  CHECK(end_of(schedule, platform, 2) == Approx(2.).epsilon(1e-9));
  // A small message also waits in front of the link: 0.1 MB that leave at 0.6 s, when 0.5 MB are there.
  const std::vector<Body> small = {sends(2, 0), sends(2, second_of_memory / 2, megabyte / 10),
                                   receives({blocking(transfer(TransferKind::receive, 1, megabyte / 10)),
                                             blocking(transfer(TransferKind::receive, 0, megabyte))})};
  CHECK(end_of(schedule_of_ranks(small, 1), platform, 1) == Approx(0.6 + 0.5).epsilon(1e-9));
}

TEST_CASE("link_queues: routes of more than two links are refused") {
  SmallPlatform platform(
      "<cluster id='c' prefix='node-' suffix='' radical='0-1' speed='1Gf' bw='1MBps' lat='0us' "
      "bb_bw='1MBps' bb_lat='0us' sharing_policy='SPLITDUPLEX'/>");
  platform.costs().links_in_order = true;
  CHECK_THROWS_AS(replay::replay(schedule_of_ranks({puts(1, 1), idle()}, 1), *platform), InputError);
}

TEST_CASE("connection_lead: data wait for that of each connection that sends from the same node") {
  SmallPlatform platform(switched(4));
  platform.costs().connection_lead_bytes = megabyte / 4;
  const auto receives = [](std::int64_t bytes) {
    return one_region(regions::receive, {blocking(transfer(TransferKind::receive, 0, bytes))});
  };
  const auto sends = [](std::vector<Post> posts) {
    return one_region(regions::send, posts).add_region(regions::wait, Complete::all());
  };
  const Schedule three = schedule_of_ranks(
      {sends({transfer(TransferKind::send, 1, megabyte), transfer(TransferKind::send, 2, megabyte),
              transfer(TransferKind::send, 3, megabyte)}),
       receives(megabyte), receives(megabyte), receives(megabyte)},
      1);
  // The first is alone for 0.25 s, then two share, and three from 0.5 s on, when 0.625, 0.875 and 1 MB are
  // left.
  CHECK(end_of(three, platform, 1) == Approx(0.5 + 3 * 0.625).epsilon(1e-9));
  CHECK(end_of(three, platform, 2) == Approx(0.5 + 3 * 0.625 + 2 * 0.25).epsilon(1e-9));
  CHECK(end_of(three, platform, 3) == Approx(3.).epsilon(1e-9));
  platform.costs().connection_lead_bytes = 0;
  CHECK(end_of(three, platform, 1) == Approx(3.).epsilon(1e-9));

  // A lead is no longer than its message, and two messages over one connection do not wait for each other.
  platform.costs().connection_lead_bytes = 2 * megabyte;
  CHECK(end_of(three, platform, 1) == Approx(1.).epsilon(1e-9));
  CHECK(end_of(three, platform, 2) == Approx(2.).epsilon(1e-9));
  const Schedule twice = schedule_of_ranks(
      {sends({transfer(TransferKind::send, 1, megabyte), transfer(TransferKind::send, 1, megabyte)}),
       receives(megabyte).add_region(regions::wait, blocking(transfer(TransferKind::receive, 0, megabyte))),
       idle(), idle()},
      1);
  CHECK(end_of(twice, platform, 1) == Approx(2.).epsilon(1e-9));
  // Once all has left, who begins waits for nobody.
  Body later = one_region(regions::send, {blocking(transfer(TransferKind::send, 1, megabyte))});
  later.add_region(regions::compute, Work{second_of_memory / 2});
  later.add_region(regions::send, blocking(transfer(TransferKind::send, 2, megabyte)));
  CHECK(end_of(schedule_of_ranks({later, receives(megabyte), receives(megabyte), idle()}, 1), platform, 2) ==
        Approx(1 + 0.5 + 1).epsilon(1e-9));
}

TEST_CASE("connection_lead: a master's workers that are alike do not stay in step") {
  // Each round, both workers' results come together, and both get the next task. Without a lead both tasks
  // arrive together too, after 2 s, and so do the next results.
  SmallPlatform platform(switched(3));
  Body master, worker;
  master.begin_region(regions::receive);
  worker.begin_region(regions::send);
  constexpr int rounds = 8;
  for (int round = 0; round < rounds; ++round) {
    for (const int peer : {1, 2})
      master.add(blocking(transfer(TransferKind::receive, peer, megabyte)));
    for (const int peer : {1, 2})
      master.add(transfer(TransferKind::send, peer, megabyte));
    worker.add(blocking(transfer(TransferKind::send, 0, megabyte)));
    worker.add(blocking(transfer(TransferKind::receive, 0, megabyte)));
  }
  master.add(Complete::all());
  const Schedule schedule = schedule_of_ranks({master, worker, worker}, 1);
  CHECK(replay::replay(schedule, *platform).total_s == Approx(4. * rounds).epsilon(1e-9));
  platform.costs().connection_lead_bytes = megabyte;
  // The first worker has its task after 1 s, and sends its result while the other gets its own: 2 s for both
  // first results, then 3 s for two tasks and their results, and 2 s for the last tasks.
  CHECK(replay::replay(schedule, *platform).total_s == Approx(2 + 3 * (rounds - 1) + 2).epsilon(1e-9));
}

TEST_CASE("replies: with one flow a message there are no connections to wait on") {
  SmallPlatform platform(switched(2));
  platform.costs().replies_wait = true;
  CHECK_THROWS_AS(
      replay::replay(schedule_of_ranks({puts(1, 1), idle()}, 1), *platform, {.one_flow_per_message = true}),
      InputError);
}
