// SPDX-License-Identifier: MIT
#include "sim/graph/rank_graph.hpp"

#include <map>
#include <utility>

namespace finegrain::graph {
namespace {

using VolumeByPeer = std::map<std::int32_t, pattern::Volume>;

/// What one rank posts, by the peer: from it, and to it.
std::pair<VolumeByPeer, VolumeByPeer> posted_by(int rank, const Body& body) {
  VolumeByPeer to_peers;
  VolumeByPeer from_peers;
  for_each_post(body.operations, [&](const Post& post) {
    // The other end of a receive is the peer's own send.
    if (post.peer == rank || post.kind == TransferKind::receive) return;
    pattern::Volume& volume = (is_incoming(post.kind) ? from_peers : to_peers)[post.peer];
    volume.messages += post.repeat;
    volume.bytes += post.repeat * post.size_bytes;
  });
  return {std::move(to_peers), std::move(from_peers)};
}

}  // namespace

RankGraph rank_graph(const Schedule& schedule) {
  std::map<std::pair<std::int32_t, std::int32_t>, pattern::Volume> edges;
  for (std::size_t index = 0; index < schedule.ranks.size(); ++index) {
    const auto rank = static_cast<std::int32_t>(index);
    const auto [to_peers, from_peers] = posted_by(rank, schedule.ranks[index]);
    for (const auto& [peer, volume] : to_peers)
      edges[{rank, peer}] += volume;
    for (const auto& [peer, volume] : from_peers)
      edges[{peer, rank}] += volume;
  }
  RankGraph graph(schedule.ranks.size());
  for (const auto& [ends, volume] : edges)
    boost::add_edge(static_cast<std::size_t>(ends.first), static_cast<std::size_t>(ends.second), volume,
                    graph);
  return graph;
}

RankGraph rank_graph(const Run& run, std::span<const pattern::RankCounts> counts) {
  RankGraph graph(counts.size());
  policy::policy(run).volumes(run, counts, [&](int from, int to, const pattern::Volume& volume) {
    boost::add_edge(static_cast<std::size_t>(from), static_cast<std::size_t>(to), volume, graph);
  });
  return graph;
}

}  // namespace finegrain::graph
