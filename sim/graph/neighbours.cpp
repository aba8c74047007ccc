// SPDX-License-Identifier: MIT
#include "sim/graph/neighbours.hpp"

#include <map>

namespace finegrain::graph {

Neighbours neighbours_of(const RankGraph& graph, std::size_t places) {
  std::vector<std::map<int, std::int64_t>> bytes(boost::num_vertices(graph));
  for (const auto& edge : boost::make_iterator_range(boost::edges(graph))) {
    const std::size_t from = boost::source(edge, graph);
    const std::size_t to = boost::target(edge, graph);
    bytes[from][static_cast<int>(to)] += graph[edge].bytes;
    bytes[to][static_cast<int>(from)] += graph[edge].bytes;
  }
  Neighbours neighbours(places);
  for (std::size_t rank = 0; rank < bytes.size(); ++rank)
    for (const auto& [peer, size] : bytes[rank])
      neighbours[rank].push_back({peer, size});
  return neighbours;
}

}  // namespace finegrain::graph
