// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "sim/graph/rank_graph.hpp"

namespace finegrain::graph {

/// How many links a message crosses between two nodes, 0 on one node. Shape [nodes][nodes], symmetric
using Hops = std::vector<std::vector<int>>;

/// SCOTCH 7.0.3 crashes on some networks of more than about 2,300 nodes, for example a torus.
inline constexpr int most_nodes_of_topology = 2048;

/// A placement with few bytes x hops, on as many nodes as block fills and no more ranks on any. SCOTCH maps
/// the ranks on the nodes, and maps the nodes of communication_placement() on the platform's nodes. Of these
/// two, block, cyclic and communication_placement() itself it takes the best. The same graph gives the same
/// placement.
/// Source of the mapping: Pellegrini & Roman, SCOTCH: a software package for static mapping by dual recursive
/// bipartitioning, HPCN-Europe 1996.
/// @param hops  the hops between at least as many nodes as block fills
/// @throws InputError if SCOTCH cannot map the graph
problem::Placement topology_placement(const RankGraph& graph, int ranks_per_node, const Hops& hops);

/// Bytes times the links that they cross, of everything that is sent.
double bytes_times_hops(const RankGraph& graph, const problem::Placement& placement, const Hops& hops);

}  // namespace finegrain::graph
