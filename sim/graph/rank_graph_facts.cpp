// SPDX-License-Identifier: MIT
#include "sim/graph/rank_graph_facts.hpp"

#include <algorithm>
#include <boost/graph/connected_components.hpp>
#include <map>
#include <utility>

namespace finegrain::graph {
namespace {

template <class Wanted>
pattern::Volume volume_where(const RankGraph& graph, const Wanted& wanted) {
  pattern::Volume volume;
  for (const auto& edge : boost::make_iterator_range(boost::edges(graph)))
    if (wanted(static_cast<int>(boost::source(edge, graph)), static_cast<int>(boost::target(edge, graph))))
      volume += graph[edge];
  return volume;
}

}  // namespace

std::vector<PairTraffic> heaviest_pairs(const RankGraph& graph) {
  std::map<std::pair<int, int>, PairTraffic> by_ends;
  for (const auto& edge : boost::make_iterator_range(boost::edges(graph))) {
    const auto from = static_cast<int>(boost::source(edge, graph));
    const auto to = static_cast<int>(boost::target(edge, graph));
    const auto ends = std::minmax(from, to);
    PairTraffic& pair = by_ends.try_emplace(ends, PairTraffic{ends.first, ends.second, {}, {}}).first->second;
    (from < to ? pair.forth : pair.back) += graph[edge];
  }
  std::vector<PairTraffic> pairs;
  for (const auto& [ends, pair] : by_ends)
    pairs.push_back(pair);
  std::ranges::stable_sort(pairs, std::ranges::greater(), &PairTraffic::bytes);
  return pairs;
}

std::vector<std::size_t> degrees(const RankGraph& graph) {
  std::vector<std::size_t> degrees(boost::num_vertices(graph));
  for (const PairTraffic& pair : heaviest_pairs(graph)) {
    ++degrees[static_cast<std::size_t>(pair.first)];
    ++degrees[static_cast<std::size_t>(pair.second)];
  }
  return degrees;
}

std::size_t connected_components(const RankGraph& graph) {
  // Boost's algorithm is for graphs whose edges have no direction.
  boost::adjacency_list<boost::vecS, boost::vecS, boost::undirectedS> undirected(boost::num_vertices(graph));
  for (const auto& edge : boost::make_iterator_range(boost::edges(graph)))
    boost::add_edge(boost::source(edge, graph), boost::target(edge, graph), undirected);
  std::vector<std::size_t> component(boost::num_vertices(graph));
  return boost::connected_components(undirected, component.data());
}

pattern::Volume total_volume(const RankGraph& graph) {
  return volume_where(graph, [](int, int) { return true; });
}

pattern::Volume volume_between_nodes(const RankGraph& graph, const problem::Placement& placement) {
  return volume_where(graph, [&](int from, int to) { return !placement.same_node(from, to); });
}

}  // namespace finegrain::graph
