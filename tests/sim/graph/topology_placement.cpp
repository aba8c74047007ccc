// SPDX-License-Identifier: MIT
#include "sim/graph/topology_placement.hpp"

#include <catch2/catch.hpp>
#include <cstdlib>
#include <random>

#include "sim/graph/communication_placement.hpp"
#include "sim/graph/placement_rule.hpp"
#include "traces/io/input_error.hpp"

using namespace finegrain;
using namespace finegrain::graph;

namespace {

/// Nodes in a row, with a link between each two that follow each other.
Hops row_of(int nodes) {
  Hops hops(static_cast<std::size_t>(nodes), std::vector<int>(static_cast<std::size_t>(nodes)));
  for (int a = 0; a < nodes; ++a)
    for (int b = 0; b < nodes; ++b)
      hops[static_cast<std::size_t>(a)][static_cast<std::size_t>(b)] = std::abs(a - b);
  return hops;
}

/// The ranks in this order send 10 bytes, each to the next.
RankGraph chain_of(const std::vector<int>& order) {
  RankGraph graph(order.size());
  for (std::size_t i = 1; i < order.size(); ++i)
    boost::add_edge(static_cast<std::size_t>(order[i - 1]), static_cast<std::size_t>(order[i]),
                    pattern::Volume{1, 10}, graph);
  return graph;
}

RankGraph random_graph_of(int ranks, std::uint32_t seed) {
  std::minstd_rand random(seed);
  RankGraph graph(static_cast<std::size_t>(ranks));
  for (int edge = 0; edge < 3 * ranks; ++edge) {
    const auto from = static_cast<std::size_t>(random()) % static_cast<std::size_t>(ranks);
    const auto to = static_cast<std::size_t>(random()) % static_cast<std::size_t>(ranks);
    if (from != to)
      boost::add_edge(from, to, pattern::Volume{1, static_cast<std::int64_t>(1 + random() % 100)}, graph);
  }
  return graph;
}

}  // namespace

TEST_CASE("topology: a chain of ranks in any order lies along a row of nodes") {
  const RankGraph graph = chain_of({0, 5, 2, 7, 1, 4, 6, 3});
  const Hops hops = row_of(4);
  const problem::Placement placement = topology_placement(graph, 2, hops);
  // Three steps of the chain cross one link each, and its other four steps none.
  REQUIRE(bytes_times_hops(graph, placement, hops) == 3 * 10 * 1);
  REQUIRE(bytes_times_hops(graph, problem::Placement(8, 2), hops) > 3 * 10 * 1);
}

TEST_CASE(
    "topology: never more bytes x hops than block, cyclic and communication, on nodes as full as block's") {
  for (const int ranks : {6, 16, 23, 40}) {
    for (const int ranks_per_node : {1, 4}) {
      const RankGraph graph = random_graph_of(ranks, static_cast<std::uint32_t>(ranks));
      const problem::Placement block(ranks, ranks_per_node);
      const Hops hops = row_of(block.nodes());
      const problem::Placement placement = topology_placement(graph, ranks_per_node, hops);
      CAPTURE(ranks, ranks_per_node);
      REQUIRE(placement.nodes() == block.nodes());
      REQUIRE(placement.most_ranks_on_a_node() <= ranks_per_node);
      REQUIRE(topology_placement(graph, ranks_per_node, hops) == placement);
      for (const problem::Placement& other : {block, problem::cyclic_placement(ranks, ranks_per_node),
                                              communication_placement(graph, ranks_per_node)})
        REQUIRE(bytes_times_hops(graph, placement, hops) <= bytes_times_hops(graph, other, hops));
    }
  }
}

TEST_CASE("topology: bytes beyond 32 bits are mapped like few bytes") {
  RankGraph graph = chain_of({0, 5, 2, 7, 1, 4, 6, 3});
  for (const auto& edge : boost::make_iterator_range(boost::edges(graph)))
    graph[edge].bytes = std::int64_t{1} << 40;
  REQUIRE(bytes_times_hops(graph, topology_placement(graph, 2, row_of(4)), row_of(4)) ==
          3 * static_cast<double>(std::int64_t{1} << 40));
}

TEST_CASE("topology: ranks that send nothing are placed as block places them") {
  REQUIRE(topology_placement(RankGraph(5), 2, row_of(3)).nodes() == 3);
}

TEST_CASE("topology: the rule is refused where no platform says how far nodes are") {
  REQUIRE_THROWS_AS(placement_by(PlacementRule::topology, 8, 2, [] { return RankGraph(8); }), InputError);
}
