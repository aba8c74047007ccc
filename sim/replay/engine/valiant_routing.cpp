// SPDX-License-Identifier: MIT
// Each packet first goes to any group that has neither end, and from there the shortest way: all detours have
// an equal part of a message. So traffic that would fill one link between two groups, while all others are
// free, is spread over all. Half of the bandwidth between groups is the price, since a packet crosses two
// links between groups. Within a group, packets take the shortest way.
#include "sim/replay/engine/routing.hpp"

namespace finegrain::replay {
namespace {

PacketsOfWays go_around(const WaysOfMessage& ways, LinkLoads& /*loads*/) {
  PacketsOfWays packets(ways.shortest.size() + ways.detours.size(), 1);
  if (!ways.detours.empty()) packets.front() = 0;
  return packets;
}

}  // namespace

Routing valiant_routing() {
  return {"valiant", platform::RegularCluster::Topology::dragonfly, false, go_around};
}

}  // namespace finegrain::replay
