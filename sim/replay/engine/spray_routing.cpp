// SPDX-License-Identifier: MIT
// Packets of a message take all shortest ways by turns, whatever else is on them. Of four ways, each has a
// quarter of each message, so two messages never meet on one uplink while others are free.
#include "sim/replay/engine/routing.hpp"

namespace finegrain::replay {
namespace {

PacketsOfWays spray(const WaysOfMessage& ways, LinkLoads& /*loads*/) {
  PacketsOfWays packets(ways.shortest.size() + ways.detours.size(), 0);
  for (std::size_t way = 0; way < ways.shortest.size(); ++way)
    packets[way] = 1;
  return packets;
}

}  // namespace

Routing spray_routing() {
  return {"spray", platform::RegularCluster::Topology::fat_tree, false, spray};
}

}  // namespace finegrain::replay
