// SPDX-License-Identifier: MIT
// `network` = credit:NxSIZE. In all cases a packet of 1 MB takes a second on a link of 1 MB/s.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <string>

#include "../small_platform.hpp"
#include "sim/replay/replay.hpp"
#include "traces/io/input_error.hpp"

using namespace finegrain;

namespace {

Body puts(int peer, std::int64_t bytes) {
  return one_region(regions::put, {blocking(transfer(TransferKind::put, peer, bytes))});
}

double end_of(const Schedule& schedule, SmallPlatform& platform, const std::string& network,
              std::size_t rank) {
  (*platform).network = network;
  return replay::replay(schedule, *platform).ranks[rank].finish_s;
}

/// Nodes 0 and 1 on one switch, 2 and 3 on another. Between the switches is a link of 1 MB/s; what goes to
/// node 2 leaves by a link of 0.25 MB/s.
constexpr const char* slow_exit = R"(<zone id="all" routing="Full">
  <host id="node-0" speed="1Gf"/><host id="node-1" speed="1Gf"/>
  <host id="node-2" speed="1Gf"/><host id="node-3" speed="1Gf"/>
  <link id="from-0" bandwidth="1MBps" latency="0us"/><link id="from-1" bandwidth="1MBps" latency="0us"/>
  <link id="trunk" bandwidth="1MBps" latency="0us"/>
  <link id="to-2" bandwidth="250kBps" latency="0us"/><link id="to-3" bandwidth="1MBps" latency="0us"/>
  <route src="node-0" dst="node-2"><link_ctn id="from-0"/><link_ctn id="trunk"/><link_ctn id="to-2"/></route>
  <route src="node-1" dst="node-3"><link_ctn id="from-1"/><link_ctn id="trunk"/><link_ctn id="to-3"/></route>
</zone>)";

/// Three switches in a circle, a node each; from each node to the one before it, two links around.
constexpr const char* circle = R"(<zone id="all" routing="Full">
  <host id="node-0" speed="1Gf"/><host id="node-1" speed="1Gf"/><host id="node-2" speed="1Gf"/>
  <link id="from-0" bandwidth="1MBps" latency="0us"/><link id="from-1" bandwidth="1MBps" latency="0us"/>
  <link id="from-2" bandwidth="1MBps" latency="0us"/>
  <route src="node-0" dst="node-2" symmetrical="NO"><link_ctn id="from-0"/><link_ctn id="from-1"/></route>
  <route src="node-1" dst="node-0" symmetrical="NO"><link_ctn id="from-1"/><link_ctn id="from-2"/></route>
  <route src="node-2" dst="node-1" symmetrical="NO"><link_ctn id="from-2"/><link_ctn id="from-0"/></route>
  <route src="node-2" dst="node-0" symmetrical="NO"><link_ctn id="from-2"/></route>
  <route src="node-0" dst="node-1" symmetrical="NO"><link_ctn id="from-0"/></route>
  <route src="node-1" dst="node-2" symmetrical="NO"><link_ctn id="from-1"/></route>
</zone>)";

}  // namespace

TEST_CASE("credit network: the packets of a message follow one another over its links") {
  SmallPlatform platform(switched(2));
  const Schedule schedule = schedule_of_ranks({puts(1, 4 * megabyte), idle()}, 1);
  // The first packet crosses two links, each other one arrives a second after the one before it.
  CHECK(end_of(schedule, platform, "credit:2x1MB", 0) == Approx(2 + (4 - 1) * 1).epsilon(1e-9));
  CHECK(end_of(schedule, platform, "credit:2x500kB", 0) == Approx(2 * 0.5 + (8 - 1) * 0.5).epsilon(1e-9));
  // What is left for the last packet is shorter: 4 MB = 3 MB + 1 MB.
  CHECK(end_of(schedule, platform, "credit:2x3MB", 0) == Approx(3 + 3 + 1).epsilon(1e-9));
}

TEST_CASE("credit network: with one credit, a link waits until its packet has left the queue behind it") {
  SmallPlatform platform(switched(2));
  const Schedule schedule = schedule_of_ranks({puts(1, 4 * megabyte), idle()}, 1);
  CHECK(end_of(schedule, platform, "credit:1x1MB", 0) == Approx(4 * (1 + 1)).epsilon(1e-9));
}

TEST_CASE("credit network: two messages that come to one link at the same time cross it in turn") {
  SmallPlatform platform(switched(3));
  const Schedule schedule = schedule_of_ranks({puts(2, 2 * megabyte), puts(2, 2 * megabyte), idle()}, 1);
  // Node 2's link carries four packets from 1 s on: of rank 0, 1, 0 and 1.
  CHECK(end_of(schedule, platform, "credit:4x1MB", 0) == Approx(1 + 3).epsilon(1e-9));
  CHECK(end_of(schedule, platform, "credit:4x1MB", 1) == Approx(1 + 4).epsilon(1e-9));
}

TEST_CASE("credit network: a packet for a full link holds back those behind it, whose own way is free") {
  SmallPlatform platform(slow_exit);
  // Rank 0 sends the packets a1 and a2 to node 2, rank 1 sends b1 and b2 to node 3.
  const Schedule schedule =
      schedule_of_ranks({puts(2, 2 * megabyte), puts(3, 2 * megabyte), idle(), idle()}, 1);
  // Shared fairly: of the trunk, rank 0 uses the 0.25 MB/s of its exit, and rank 1 the rest.
  CHECK(end_of(schedule, platform, "", 1) == Approx(2 / (1 - 0.25)).epsilon(1e-9));
  // Four credits: all packets come to the trunk's queue in the order a1 b1 a2 b2, and leave it in this order:
  // to the switch 1 s, a1 over the trunk 1 s, then a1, b1, a2 and b2 over their last links.
  CHECK(end_of(schedule, platform, "credit:4x1MB", 0) == Approx(1 + 1 + 4 + 1 + 4).epsilon(1e-9));
  CHECK(end_of(schedule, platform, "credit:4x1MB", 1) == Approx(1 + 1 + 4 + 1 + 4 + 1).epsilon(1e-9));
  // One credit: the trunk carries a packet only when the one before has left its queue. So the packets cross
  // the trunk and their last link one after the other: a1 1 + 4, b1 1 + 1, a2 1 + 4, b2 1 + 1.
  CHECK(end_of(schedule, platform, "credit:1x1MB", 0) ==
        Approx(1 + (1 + 4) + (1 + 1) + (1 + 4)).epsilon(1e-9));
  CHECK(end_of(schedule, platform, "credit:1x1MB", 1) ==
        Approx(1 + (1 + 4) + (1 + 1) + (1 + 4) + (1 + 1)).epsilon(1e-9));
}

TEST_CASE("credit network: packets that wait for one another's credits in a circle are refused") {
  SmallPlatform platform(circle);
  const Schedule schedule = schedule_of_ranks({puts(2, megabyte), puts(0, megabyte), puts(1, megabyte)}, 1);
  CHECK(end_of(schedule, platform, "credit:2x1MB", 0) == Approx(1 + 1).epsilon(1e-9));
  CHECK_THROWS_WITH(end_of(schedule, platform, "credit:1x1MB", 0),
                    Catch::Contains("packets wait for one another's credits in a circle"));
}

TEST_CASE("credit network: latencies are added when a message has passed, as in the other networks") {
  SmallPlatform platform(switched(2, "3us"));
  const Schedule schedule = schedule_of_ranks({puts(1, megabyte), idle()}, 1);
  CHECK(end_of(schedule, platform, "credit:4x1MB", 0) == Approx(2 * (3e-6 + 3e-6) + 1 + 1).epsilon(1e-12));
}

TEST_CASE(
    "credit network: what is not N credits of a size is refused, and so is what limits rates otherwise") {
  SmallPlatform platform(switched(2, "3us"));
  const Schedule schedule = schedule_of_ranks({puts(1, megabyte), idle()}, 1);
  for (const char* const wrong :
       {"credit", "credit:", "credit:4", "credit:0x1MB", "credit:4x", "credit:4x0B"})
    CHECK_THROWS_AS(end_of(schedule, platform, wrong, 0), InputError);
  platform.costs().tcp_window_bytes = 1;
  CHECK_THROWS_WITH(end_of(schedule, platform, "credit:4x1MB", 0), Catch::Contains("tcp_window"));
}
