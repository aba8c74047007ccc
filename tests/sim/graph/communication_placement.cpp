// SPDX-License-Identifier: MIT
#include "sim/graph/communication_placement.hpp"

#include <catch2/catch.hpp>
#include <random>

#include "../pattern/schedules.hpp"
#include "sim/graph/placement_rule.hpp"
#include "sim/graph/rank_graph_facts.hpp"

using namespace finegrain;
using namespace finegrain::graph;
using namespace finegrain::pattern;
using namespace finegrain::problem;

namespace {

/// Every edge with the given chance, of 1 to 100 bytes.
RankGraph random_graph(int ranks, double chance, std::uint32_t seed) {
  std::minstd_rand random(seed);
  RankGraph graph(static_cast<std::size_t>(ranks));
  for (int from = 0; from < ranks; ++from) {
    for (int to = 0; to < ranks; ++to) {
      const bool is_there = static_cast<double>(random() % 1000) < 1000 * chance;
      const auto bytes = static_cast<std::int64_t>(1 + random() % 100);
      if (is_there && from != to)
        boost::add_edge(static_cast<std::size_t>(from), static_cast<std::size_t>(to), Volume{1, bytes},
                        graph);
    }
  }
  return graph;
}

/// The least bytes between nodes of all ways to place the ranks from `rank` on.
std::int64_t least_bytes(const RankGraph& graph, std::vector<int>& nodes, std::vector<int>& room) {
  if (nodes.size() == boost::num_vertices(graph)) {
    std::int64_t bytes = 0;
    for (const auto& edge : boost::make_iterator_range(boost::edges(graph)))
      if (nodes[boost::source(edge, graph)] != nodes[boost::target(edge, graph)]) bytes += graph[edge].bytes;
    return bytes;
  }
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  for (std::size_t node = 0; node < room.size(); ++node) {
    if (room[node] == 0) continue;
    --room[node];
    nodes.push_back(static_cast<int>(node));
    least = std::min(least, least_bytes(graph, nodes, room));
    nodes.pop_back();
    ++room[node];
  }
  return least;
}

std::int64_t least_bytes(const RankGraph& graph, int ranks_per_node) {
  std::vector<int> nodes;
  std::vector<int> room(static_cast<std::size_t>(
                            Placement(static_cast<int>(boost::num_vertices(graph)), ranks_per_node).nodes()),
                        ranks_per_node);
  return least_bytes(graph, nodes, room);
}

std::int64_t bytes_of(PlacementRule rule, const RankGraph& graph, int ranks_per_node) {
  const auto ranks = static_cast<int>(boost::num_vertices(graph));
  return volume_between_nodes(graph, placement_by(rule, ranks, ranks_per_node, [&] { return graph; })).bytes;
}

}  // namespace

TEST_CASE(
    "communication placement: on graphs of 6 to 8 ranks, within a tenth of the least, and nearly always at "
    "it") {
  int graphs = 0;
  int at_the_least = 0;
  for (const int ranks : {6, 7, 8}) {
    for (const int ranks_per_node : {2, 3, 4}) {
      for (std::uint32_t seed = 1; seed <= 20; ++seed) {
        const RankGraph graph = random_graph(ranks, seed % 2 == 0 ? 0.3 : 0.8, seed);
        const std::int64_t least = least_bytes(graph, ranks_per_node);
        const std::int64_t found = bytes_of(PlacementRule::communication, graph, ranks_per_node);
        CAPTURE(ranks, ranks_per_node, seed, least, found);
        CHECK(found >= least);
        CHECK(static_cast<double>(found) <= 1.1 * static_cast<double>(least));
        ++graphs;
        at_the_least += found == least ? 1 : 0;
      }
    }
  }
  CHECK(at_the_least >= graphs * 95 / 100);
}

TEST_CASE("communication placement: never more bytes than block or cyclic, nor more ranks on a node") {
  for (const int ranks : {16, 30, 61}) {
    for (std::uint32_t seed = 1; seed <= 5; ++seed) {
      const RankGraph graph = random_graph(ranks, 0.1, seed);
      const std::int64_t found = bytes_of(PlacementRule::communication, graph, 8);
      CHECK(found <= bytes_of(PlacementRule::block, graph, 8));
      CHECK(found <= bytes_of(PlacementRule::cyclic, graph, 8));
      const Placement placement = communication_placement(graph, 8);
      CHECK(placement.nodes() == (ranks + 7) / 8);
      CHECK(placement.most_ranks_on_a_node() <= 8);
      CHECK(placement == communication_placement(graph, 8));
    }
  }
}

TEST_CASE("communication placement: pairs that are far apart come together") {
  RankGraph graph(8);
  for (std::size_t rank = 0; rank < 4; ++rank)
    boost::add_edge(rank, 7 - rank, Volume{1, 100}, graph);
  const Placement placement = communication_placement(graph, 2);
  for (int rank = 0; rank < 4; ++rank)
    CHECK(placement.same_node(rank, 7 - rank));
}

TEST_CASE("communication placement: a heat grid of 8 x 8 ranks on nodes of 16 is cut into squares") {
  Run run{.problem = HeatProblem{80, 80, 8, 8}, .policy = "condensed", .ranks = 64, .ranks_per_node = 16};
  const RankGraph graph = rank_graph(heat_schedule(run));
  // Values of 8 bytes both ways; a part has 10 points a side. Block: three cuts of 8 ranks' sides. Squares of
  // 4 x 4 ranks: a cut down and a cut across.
  CHECK(bytes_of(PlacementRule::block, graph, 16) == 3 * 8 * 10 * 8 * 2);
  CHECK(bytes_of(PlacementRule::communication, graph, 16) == 2 * 8 * 10 * 8 * 2);
}

TEST_CASE("communication placement: ranks that exchange nothing stay where block puts them") {
  CHECK(communication_placement(RankGraph(10), 4).ranks_of(2) == std::vector{8, 9});
}
