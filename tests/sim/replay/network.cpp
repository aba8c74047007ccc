// SPDX-License-Identifier: MIT
#include <catch2/catch.hpp>

#include "replay_both_ways.hpp"
#include "sim/replay/timeline.hpp"
#include "small_platform.hpp"

using namespace finegrain;
using namespace finegrain::replay;

namespace {

Post put(int peer, std::int64_t size_bytes = megabyte, std::int64_t repeat = 1) {
  return blocking(transfer(TransferKind::put, peer, size_bytes, repeat));
}
Post get(int peer, std::int64_t size_bytes = megabyte, std::int64_t repeat = 1) {
  return blocking(transfer(TransferKind::get, peer, size_bytes, repeat));
}
Post load(int peer, std::int64_t size_bytes, std::int64_t repeat) {
  return blocking(transfer(TransferKind::load, peer, size_bytes, repeat));
}

double finish_s(const ReplayResult& result, std::size_t rank) {
  return result.ranks[rank].finish_s;
}

/// Two hosts a, b and a host c behind one link of 1 MB/s, 2 us from a and 10 us from b.
const char* unequal_latencies = R"(
  <zone id="z" routing="Full">
    <host id="a" speed="1Gf"/> <host id="b" speed="1Gf"/> <host id="c" speed="1Gf"/>
    <link id="shared" bandwidth="1MBps" latency="0us"/>
    <link id="from_a" bandwidth="1GBps" latency="2us"/>
    <link id="from_b" bandwidth="1GBps" latency="10us"/>
    <route src="a" dst="c"><link_ctn id="from_a"/><link_ctn id="shared"/></route>
    <route src="b" dst="c"><link_ctn id="from_b"/><link_ctn id="shared"/></route>
    <route src="a" dst="b"><link_ctn id="from_a"/><link_ctn id="from_b"/></route>
  </zone>)";

}  // namespace

TEST_CASE("flow: 1 MB over a free link of 1 MB/s takes 1 s, no more") {
  SmallPlatform platform(switched(2));
  const auto result =
      replay_both_ways(schedule_of_ranks({one_region(regions::put, {put(1)}), idle()}, 1), *platform);
  CHECK(finish_s(result, 0) == Approx(1. / 1).epsilon(1e-9));
  CHECK(finish_s(result, 1) == 0);
  CHECK(result.flows == 1);
}

TEST_CASE("NIC: two ranks of one node that put to different nodes share their node's NIC") {
  SmallPlatform platform(switched(3));
  const auto result = replay_both_ways(
      schedule_of_ranks(
          {one_region(regions::put, {put(2)}), one_region(regions::put, {put(4)}), idle(), idle(), idle()},
          2),
      *platform);
  CHECK(finish_s(result, 0) == Approx(2. / 1).epsilon(1e-9));
  CHECK(finish_s(result, 1) == Approx(2. / 1).epsilon(1e-9));
}

TEST_CASE("NIC: what goes out does not slow what comes in") {
  SmallPlatform platform(switched(2));
  const auto result = replay_both_ways(
      schedule_of_ranks({one_region(regions::put, {put(1)}), one_region(regions::put, {put(0)})}, 1),
      *platform);
  CHECK(result.total_s == Approx(1. / 1).epsilon(1e-9));
}

TEST_CASE("fabric: flows between different pairs of nodes share a link that both cross") {
  SmallPlatform free(switched(4));
  SmallPlatform shared(switched(4, "0us", "bb_bw='1MBps' bb_lat='0us'"));
  const Schedule schedule = schedule_of_ranks(
      {one_region(regions::put, {put(1)}), idle(), one_region(regions::put, {put(3)}), idle()}, 1);
  CHECK(replay_both_ways(schedule, *free).total_s == Approx(1. / 1).epsilon(1e-9));
  CHECK(replay_both_ways(schedule, *shared).total_s == Approx(2. / 1).epsilon(1e-9));
}

TEST_CASE("sharing: two flows on one link get half each, whatever their latencies") {
  SmallPlatform platform(unequal_latencies);
  const auto result = replay_both_ways(
      schedule_of_ranks({one_region(regions::put, {put(2)}), one_region(regions::put, {put(2)}), idle()}, 1),
      *platform);
  // The flows start after a round trip, at 4 us and 20 us: the first is 16 us ahead when they begin to share.
  // SimGrid's own weighting by 1/latency would end it at 1.2 s.
  CHECK(finish_s(result, 0) == Approx(20e-6 + 2 * (1. - 16e-6)).epsilon(1e-10));
  CHECK(finish_s(result, 1) == Approx(4e-6 + 2.).epsilon(1e-10));
}

TEST_CASE("sharing: eager sends of unequal latencies end together and arrive a latency later") {
  SmallPlatform platform(unequal_latencies);
  const auto sender = [] {
    Body iteration = one_region(regions::send, {transfer(TransferKind::send, 2, megabyte)});
    iteration.add_region(regions::wait, Complete::all());
    return iteration;
  };
  Body receiver = one_region(regions::receive, {transfer(TransferKind::receive, 0, megabyte),
                                                transfer(TransferKind::receive, 1, megabyte)});
  receiver.add_region(regions::wait, Complete::all());
  const auto result = replay_both_ways(schedule_of_ranks({sender(), sender(), receiver}, 1), *platform);
  CHECK(finish_s(result, 0) == Approx(2. / 1).epsilon(1e-12));
  CHECK(finish_s(result, 1) == Approx(2. / 1).epsilon(1e-12));
  CHECK(finish_s(result, 2) == Approx(2. / 1 + 10e-6).epsilon(1e-12));
}

TEST_CASE("get: a blocking get takes the overhead, the route there and back, and the flow") {
  SmallPlatform platform(switched(2, "3us"));
  platform.costs().message_overhead_s = 1e-3;
  const auto result =
      replay_both_ways(schedule_of_ranks({one_region(regions::get, {get(1), get(1)}), idle()}, 1), *platform);
  CHECK(result.total_s == Approx(2 * (1e-3 + 2 * (3e-6 + 3e-6) + 1. / 1)).epsilon(1e-12));
}

TEST_CASE("get: the bytes flow from the peer, and share its NIC with what the peer puts") {
  SmallPlatform platform(switched(3));
  const auto result = replay_both_ways(
      schedule_of_ranks({one_region(regions::get, {get(1)}), one_region(regions::put, {put(2)}), idle()}, 1),
      *platform);
  CHECK(finish_s(result, 0) == Approx(2. / 1).epsilon(1e-9));
  CHECK(finish_s(result, 1) == Approx(2. / 1).epsilon(1e-9));
}

TEST_CASE("batching: a message repeated 500 times takes as long as 500 messages") {
  SmallPlatform platform(switched(2, "3us"));
  platform.costs().message_overhead_s = 1e-6;
  const std::vector<Post> one_by_one(500, get(1, 8));
  const auto unbatched =
      replay_both_ways(schedule_of_ranks({one_region(regions::get, one_by_one), idle()}, 1), *platform);
  const auto batched =
      replay_both_ways(schedule_of_ranks({one_region(regions::get, {get(1, 8, 500)}), idle()}, 1), *platform);
  CHECK(unbatched.flows == 500);
  CHECK(batched.flows == 1);
  CHECK(batched.total_s == Approx(500 * (1e-6 + 4 * 3e-6 + 8e-6)).epsilon(1e-9));
  CHECK(unbatched.total_s == Approx(batched.total_s).epsilon(1e-9));
}

TEST_CASE("loads: those of a region, merged by peer, take as long as gets one after the other") {
  SmallPlatform platform(switched(3, "3us"));
  platform.costs().message_overhead_s = 1e-6;
  std::vector<Post> scattered;
  std::vector<Post> loads;
  for (int i = 0; i < 300; ++i) {
    scattered.push_back(get(1 + i % 2, 8, 1 + i % 3));
    loads.push_back(load(1 + i % 2, 8, 1 + i % 3));
  }
  const auto unmerged = replay_both_ways(
      schedule_of_ranks({one_region(regions::get, scattered), idle(), idle()}, 1), *platform);
  const auto merged = replay_both_ways(
      schedule_of_ranks({one_region(regions::compute, loads), idle(), idle()}, 1), *platform);
  CHECK(merged.flows == 2);
  CHECK(merged.total_s == Approx(unmerged.total_s).epsilon(1e-9));
  CHECK(merged.total_s == Approx((100 * 1 + 100 * 2 + 100 * 3) * (1e-6 + 4 * 3e-6 + 8e-6)).epsilon(1e-9));
}

TEST_CASE("loads: those of a node's ranks, merged, take half a percent longer, as their flows then meet") {
  // Half of a latency of 1.7 us a link, 6 GB/s, o of 0.5 us: platforms/abel.xml.
  SmallPlatform platform(
      "<cluster id='c' prefix='node-' suffix='' radical='0-2' speed='1Gf' bw='6GBps' lat='0.85us' "
      "sharing_policy='SPLITDUPLEX'/>");
  platform.costs().message_overhead_s = 0.5e-6;
  const auto all_ranks = [](const auto& access) {
    std::vector<Body> ranks;
    for (int rank = 0; rank < 48; ++rank) {
      std::vector<Post> gets;
      for (int i = 0; i < 200; ++i)
        gets.push_back(access((rank + 16 + 16 * (i % 2)) % 48, 8, 1 + i % 3));
      ranks.push_back(one_region(regions::compute, Work{1'000'000 * rank}, gets));
    }
    return schedule_of_ranks(std::move(ranks), 16);
  };
  const double unmerged_s = replay_both_ways(all_ranks(get), *platform).total_s;
  const double merged_s = replay_both_ways(all_ranks(load), *platform).total_s;
  CHECK(merged_s >= unmerged_s);
  CHECK(merged_s < 1.005 * unmerged_s);
}

TEST_CASE("loads: one of the same node moves one cache line, after the region's own work") {
  SmallPlatform platform(switched(1));
  const auto result = replay_both_ways(
      schedule_of_ranks(
          {one_region(regions::compute, Work{1'200'000}, {load(1, 8, 1000), load(1, 8, 500)}), idle()}, 2),
      *platform);
  CHECK(result.total_s == Approx((1'200'000 + 1500 * 64) / 12e9).epsilon(1e-9));
}

TEST_CASE("stores: they take as long as loads, and their bytes go the other way") {
  SmallPlatform platform(switched(2, "3us"));
  platform.costs().message_overhead_s = 1e-6;
  Post store = load(1, 8, 1000);
  store.kind = TransferKind::store;
  const Timeline timeline =
      replay_timeline(schedule_of_ranks({one_region(regions::compute, {store}), idle()}, 1), *platform, 1);
  CHECK(timeline.makespan_s == Approx(1000 * (1e-6 + 4 * 3e-6 + 8e-6)).epsilon(1e-9));
  REQUIRE(timeline.messages.size() == 1);
  CHECK(timeline.messages[0].to == 1);
}

TEST_CASE("local: a put to the same node is loaded and stored, and has the node's latency") {
  SmallPlatform platform(switched(1));
  platform.costs().local_latency_s = 1e-6;
  const auto result =
      replay_both_ways(schedule_of_ranks({one_region(regions::put, {put(1, 12'000)}), idle()}, 2), *platform);
  CHECK(result.total_s == Approx(2 * 12e3 / 12e9 + 1e-6).epsilon(1e-9));
}

TEST_CASE("local: a get of a rank's own block is a copy without latency") {
  SmallPlatform platform(switched(1));
  platform.costs().local_latency_s = 1e-6;
  const auto result =
      replay_both_ways(schedule_of_ranks({one_region(regions::get, {get(0, 12'000)})}, 2), *platform);
  CHECK(result.total_s == Approx(2 * 12e3 / 12e9).epsilon(1e-9));
}

TEST_CASE("barrier: it ends log2(nodes) and log2(ranks a node) rounds after the last rank came") {
  SmallPlatform platform(switched(5, "3us"));
  platform.costs().message_overhead_s = 1e-6;
  platform.costs().local_latency_s = 0.5e-6;
  std::vector<Body> ranks;
  for (int rank = 0; rank < 15; ++rank) {
    Body iteration = one_region(regions::compute, Work{rank == 7 ? 12'000'000 : 0});
    iteration.add_region(regions::barrier, Collective{});
    ranks.push_back(iteration);
  }
  const auto result = replay_both_ways(schedule_of_ranks(ranks, 3), *platform);
  const double last_comes_s = 12e6 / 12e9;
  for (std::size_t rank = 0; rank < 15; ++rank) {
    // 5 nodes: 3 rounds of a route of two links; 3 ranks a node: 2 rounds.
    CHECK(finish_s(result, rank) == Approx(last_comes_s + 3 * (1e-6 + 2 * 3e-6) + 2 * 0.5e-6).epsilon(1e-9));
  }
}

TEST_CASE("placement: rank r runs on the r / ranks_per_node-th host in natural order of their names") {
  // node-9 to node-11: as text, node-10 and node-11 would come first. Only node-9 has a slow NIC.
  SmallPlatform platform(R"(
    <zone id="z" routing="Full">
      <host id="node-10" speed="1Gf"/> <host id="node-11" speed="1Gf"/> <host id="node-9" speed="1Gf"/>
      <link id="slow" bandwidth="1MBps" latency="0us"/> <link id="fast" bandwidth="10MBps" latency="0us"/>
      <route src="node-9" dst="node-10"><link_ctn id="slow"/></route>
      <route src="node-9" dst="node-11"><link_ctn id="slow"/></route>
      <route src="node-10" dst="node-11"><link_ctn id="fast"/></route>
    </zone>)");
  const auto from = [&](int rank, int peer) {
    std::vector<Body> ranks(6, idle());
    ranks[static_cast<std::size_t>(rank)] = one_region(regions::put, {put(peer)});
    return replay_both_ways(schedule_of_ranks(ranks, 2), *platform).total_s;
  };
  CHECK(from(0, 2) == Approx(1. / 1).epsilon(1e-9));
  CHECK(from(1, 5) == Approx(1. / 1).epsilon(1e-9));
  CHECK(from(2, 4) == Approx(1. / 10).epsilon(1e-9));
}
