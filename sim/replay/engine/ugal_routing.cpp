// SPDX-License-Identifier: MIT
// Each packet takes the shortest way, unless its queue there, times the links of that way, is longer than the
// queue of the best detour, times the links of that one. A queue grows where a link's load is above 1: by how
// much it is above. So a free network is crossed on the shortest ways, and a full link sends the rest around.
// For example, two messages of nodes as fast as a link between groups go from one group to another: the first
// takes that link; the second would queue there, and takes detours.
#include "sim/replay/engine/routing.hpp"

namespace finegrain::replay {
namespace {

/// @returns how long a packet waits on a way
double queue(const WaysOfMessage::Way& way, const LinkLoads& loads) {
  // A load of 1 that is the sum of 64 packets is not above 1.
  constexpr double rounding = 1e-6;
  const double above = loads.with_packet(way).first - 1;
  return above > rounding ? above * way.hops : 0;
}

PacketsOfWays go_around_queues(const WaysOfMessage& ways, LinkLoads& loads) {
  PacketsOfWays packets(ways.shortest.size() + ways.detours.size(), 0);
  for (std::size_t packet = 0; packet < packets_of_message; ++packet) {
    const std::size_t shortest = loads.least_full(ways.shortest);
    const std::size_t detour = ways.detours.empty() ? 0 : loads.least_full(ways.detours);
    const bool goes_around =
        !ways.detours.empty() && queue(ways.shortest[shortest], loads) > queue(ways.detours[detour], loads);
    loads.add_packet(goes_around ? ways.detours[detour] : ways.shortest[shortest]);
    ++packets[goes_around ? ways.shortest.size() + detour : shortest];
  }
  return packets;
}

}  // namespace

Routing ugal_routing() {
  return {"ugal", platform::RegularCluster::Topology::dragonfly, true, go_around_queues};
}

}  // namespace finegrain::replay
