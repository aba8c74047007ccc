// SPDX-License-Identifier: MIT
#pragma once

#include "sim/graph/rank_graph.hpp"

namespace finegrain::graph {

/// A placement with few bytes between nodes, on as many nodes as block fills and no more ranks on any: never
/// more bytes than block or cyclic. It starts from these two, and from nodes that are filled one after the
/// other with the rank that has most to do with those already there; from each it exchanges ranks between
/// every two nodes that communicate as long as that saves bytes, and of the three results it takes the best.
/// The same graph gives the same placement.
/// Source of the exchange: Kernighan & Lin, An efficient heuristic procedure for partitioning graphs, Bell
/// System Technical Journal 49 (1970), sections 2 and 3.
problem::Placement communication_placement(const RankGraph& graph, int ranks_per_node);

}  // namespace finegrain::graph
