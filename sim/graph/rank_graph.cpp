// SPDX-License-Identifier: MIT
#include "sim/graph/rank_graph.hpp"

#include <map>
#include <utility>

namespace finegrain::graph {
namespace {

using Edges = std::map<std::pair<std::int32_t, std::int32_t>, pattern::Volume>;

/// What one rank posts, so many times.
void add_posts(Edges& edges, std::int32_t rank, const Body& body, std::int64_t times) {
  for_each_post(body.operations, [&](const Post& post) {
    // The other end of a receive is the peer's own send.
    if (post.peer == rank || post.kind == TransferKind::receive) return;
    const std::pair ends = is_incoming(post.kind) ? std::pair(post.peer, rank) : std::pair(rank, post.peer);
    edges[ends] += {times * post.repeat, times * post.repeat * post.size_bytes};
  });
}

RankGraph graph_of(const Edges& edges, std::size_t ranks) {
  RankGraph graph(ranks);
  for (const auto& [ends, volume] : edges)
    boost::add_edge(static_cast<std::size_t>(ends.first), static_cast<std::size_t>(ends.second), volume,
                    graph);
  return graph;
}

}  // namespace

RankGraph rank_graph(const Schedule& schedule) {
  Edges edges;
  for (std::size_t rank = 0; rank < schedule.ranks.size(); ++rank)
    add_posts(edges, static_cast<std::int32_t>(rank), schedule.ranks[rank], 1);
  return graph_of(edges, schedule.ranks.size());
}

RankGraph rank_graph(const Programs& programs) {
  Edges edges;
  for (int rank = 0; rank < programs.ranks(); ++rank) {
    const auto cursor = programs.rank(rank);
    while (const Loop* loop = cursor->next())
      add_posts(edges, rank, *loop->body, loop->count);
  }
  return graph_of(edges, static_cast<std::size_t>(programs.ranks()));
}

RankGraph rank_graph(const Run& run, std::span<const pattern::RankCounts> counts) {
  RankGraph graph(counts.size());
  policy::policy(run).volumes(run, counts, [&](int from, int to, const pattern::Volume& volume) {
    boost::add_edge(static_cast<std::size_t>(from), static_cast<std::size_t>(to), volume, graph);
  });
  return graph;
}

}  // namespace finegrain::graph
