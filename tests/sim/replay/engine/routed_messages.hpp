// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "../small_platform.hpp"
#include "sim/replay/replay.hpp"

namespace finegrain {

/// Two switches of four nodes each, under two others. All links have 1 MB/s, and no latency. To an even node
/// of the other switch, SimGrid's way is by the first of the upper switches.
inline std::string two_leaves(const std::string& more = "") {
  return "<cluster id='c' prefix='node-' suffix='' radical='0-7' speed='1Gf' bw='1MBps' lat='0us' "
         "sharing_policy='SPLITDUPLEX' topology='FAT_TREE' topo_parameters='2;4,2;1,2;1,1'>" +
         more + "</cluster>";
}

/// Four groups of four switches of two nodes each. Switch g of a group has the link to group g.
inline std::string four_groups(const std::string& latency = "0us") {
  return "<cluster id='c' prefix='node-' suffix='' radical='0-31' speed='1Gf' bw='1MBps' lat='" + latency +
         "' sharing_policy='SPLITDUPLEX' topology='DRAGONFLY' topo_parameters='4,1;1,1;4,1;2'/>";
}

struct MegabyteTo {
  int from;
  int to;
};

/// When each of some messages of 1 MB that begin at once is there. @param messages  of each node one at most
inline std::vector<double> ends_of(SmallPlatform& platform, int nodes, const std::string& routing,
                                   const std::vector<MegabyteTo>& messages) {
  std::vector<Body> bodies(static_cast<std::size_t>(nodes), idle());
  for (const MegabyteTo& message : messages)
    bodies[static_cast<std::size_t>(message.from)] =
        one_region(regions::put, {blocking(transfer(TransferKind::put, message.to, megabyte))});
  (*platform).routing = routing;
  const replay::ReplayResult result = replay::replay(schedule_of_ranks(bodies, 1), *platform);
  std::vector<double> ends;
  for (const MegabyteTo& message : messages)
    ends.push_back(result.ranks[static_cast<std::size_t>(message.from)].finish_s);
  return ends;
}

}  // namespace finegrain
