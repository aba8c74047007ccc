// SPDX-License-Identifier: MIT
#include "sim/graph/traffic.hpp"

namespace finegrain::graph {
namespace {

void add(pattern::Volume& volume, const Post& post) {
  volume.messages += post.repeat;
  volume.bytes += post.repeat * post.size_bytes;
}

}  // namespace

std::vector<RankTraffic> traffic_of(const Schedule& schedule) {
  return traffic_of(schedule, problem::Placement(schedule.run.ranks, schedule.run.ranks_per_node));
}

std::vector<RankTraffic> traffic_of(const Schedule& schedule, const problem::Placement& placement) {
  std::vector<RankTraffic> traffic(schedule.ranks.size());
  for (std::size_t rank = 0; rank < traffic.size(); ++rank) {
    for_each_post(schedule.ranks[rank].operations, [&](const Post& post) {
      const bool local = placement.same_node(static_cast<int>(rank), post.peer);
      RankTraffic& own = traffic[rank];
      RankTraffic& other = traffic[static_cast<std::size_t>(post.peer)];
      const bool incoming = is_incoming(post.kind);
      RankTraffic& to = incoming ? own : other;
      RankTraffic& from = incoming ? other : own;
      // The other end of a send or receive is the peer's own.
      const bool both = !is_two_sided(post.kind);
      if (both || incoming) add(local ? to.in_local : to.in_remote, post);
      if (both || !incoming) add(local ? from.out_local : from.out_remote, post);
    });
  }
  return traffic;
}

}  // namespace finegrain::graph
