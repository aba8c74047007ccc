// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sim/graph/rank_graph.hpp"

namespace finegrain::graph {

/// Bytes that a rank exchanges with a peer, both ways.
struct Neighbour {
  int peer;
  std::int64_t bytes;
};
using Neighbours = std::vector<std::vector<Neighbour>>;  ///< shape [places], of each rank in ascending order

/// @param places  at least as many as the graph has ranks; the places beyond them have no neighbours
Neighbours neighbours_of(const RankGraph& graph, std::size_t places);

}  // namespace finegrain::graph
