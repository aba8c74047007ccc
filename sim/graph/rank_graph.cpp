// SPDX-License-Identifier: MIT
#include "sim/graph/rank_graph.hpp"

#include <boost/range/iterator_range.hpp>
#include <map>
#include <memory>
#include <unordered_map>
#include <utility>

#include "sim/collectives/rank_call.hpp"

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

/// What one rank posts in a collective operation, so many times.
void add_collective(Edges& edges, std::int32_t rank, const collectives::RankCall& of_rank,
                    const collectives::Decisions& decisions, std::int64_t times) {
  if (of_rank.call.ranks < 2) return;
  const collectives::Choice choice = decisions.choose(of_rank.call);
  Body body;
  const std::int64_t rounds = collectives::rounds(of_rank.call, choice);
  for (std::int64_t round = 0; round < rounds; ++round) {
    body.operations.clear();
    collectives::round(round, of_rank.call, choice, body.operations);
    for (Operation& operation : body.operations) {
      auto* post = std::get_if<Post>(&operation);
      if (post != nullptr && !of_rank.ranks.empty())
        post->peer = of_rank.ranks[static_cast<std::size_t>(post->peer)];
    }
    add_posts(edges, rank, body, times);
  }
}

/// Bodies of a rank, and how often it has done each: they come again and again.
using Done = std::unordered_map<std::shared_ptr<const Body>, std::int64_t>;
constexpr std::size_t most_bodies = 4096;

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

RankGraph rank_graph(const Programs& programs, const collectives::Decisions* decisions) {
  Edges edges;
  for (int rank = 0; rank < programs.ranks(); ++rank) {
    Done done;
    const auto add_all = [&] {
      for (const auto& [body, times] : done) {
        add_posts(edges, rank, *body, times);
        if (decisions == nullptr) continue;
        for (const Operation& operation : body->operations)
          if (const auto* collective = std::get_if<Collective>(&operation))
            add_collective(edges, rank, collectives::rank_call(*collective, *body, programs, rank),
                           *decisions, times);
      }
      done.clear();
    };
    const auto cursor = programs.rank(rank);
    while (const Loop* loop = cursor->next()) {
      done[loop->body] += loop->count;
      if (done.size() == most_bodies) add_all();
    }
    add_all();
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

std::vector<RankTraffic> traffic_of(const RankGraph& graph, const problem::Placement& placement) {
  std::vector<RankTraffic> traffic(boost::num_vertices(graph));
  for (const auto edge : boost::make_iterator_range(boost::edges(graph))) {
    const auto from = boost::source(edge, graph);
    const auto to = boost::target(edge, graph);
    const bool local = placement.same_node(static_cast<int>(from), static_cast<int>(to));
    (local ? traffic[from].out_local : traffic[from].out_remote) += graph[edge];
    (local ? traffic[to].in_local : traffic[to].in_remote) += graph[edge];
  }
  return traffic;
}

}  // namespace finegrain::graph
