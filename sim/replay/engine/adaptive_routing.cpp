// SPDX-License-Identifier: MIT
// Each packet takes the shortest way whose fullest link is least full, as where switches send it to the
// shortest queue. On a free network this is spraying. If one of two uplinks has a quarter of the other's
// bandwidth, a message alone puts 13 of 64 packets on it, since 13 / 0.25 = 52 and 51 / 1 = 51.
#include "sim/replay/engine/routing.hpp"

namespace finegrain::replay {
namespace {

PacketsOfWays adapt(const WaysOfMessage& ways, LinkLoads& loads) {
  PacketsOfWays packets(ways.shortest.size() + ways.detours.size(), 0);
  for (std::size_t packet = 0; packet < packets_of_message; ++packet) {
    const std::size_t way = loads.least_full(ways.shortest);
    loads.add_packet(ways.shortest[way]);
    ++packets[way];
  }
  return packets;
}

}  // namespace

Routing adaptive_routing() {
  return {"adaptive", platform::RegularCluster::Topology::fat_tree, true, adapt};
}

}  // namespace finegrain::replay
