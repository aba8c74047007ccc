// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "sim/platform_make/cluster_shape.hpp"
#include "sim/platform_make/fabric.hpp"
#include "sim/platform_make/number.hpp"
#include "traces/io/atomic_file.hpp"

namespace finegrain::platform_make {

/// The most compute nodes of a fabric whose file has a route for each two of them. Above, the file has the
/// connections only, and SimGrid looks for the ways (Dijkstra).
inline constexpr std::size_t most_nodes_with_routes = 300;

/// A platform file of a regular network: one <cluster>.
/// @param sources  what it is made from, for its first comment
/// @param notes  comments, what counts otherwise than the sources say
std::string cluster_xml(const ClusterShape& shape, const Numbers& numbers, const std::string& sources,
                        const std::vector<std::string>& notes);

/// A platform file of a network as it is: each node, switch and cable, and shortest routes.
/// Up to most_nodes_with_routes, each two nodes have a route (BalancedRoutes). Above, switches with the same
/// neighbours are one (with_merged_switches()), and cables between the same two ends are one link that has
/// all their bandwidth. Its <prop id="cables"> says of how many.
/// @param numbers  those of all nodes and links for which the fabric and `of_nodes` have none
/// @param of_nodes  each compute node's; empty: all nodes are as the numbers say. Otherwise what is not in
/// it runs no ranks, and is written as a router
std::string fabric_xml(const Fabric& fabric, const Numbers& numbers, const NodeNumbers& of_nodes,
                       const std::string& sources);

/// What these functions make, as a file.
FileKind made_platform_kind();

}  // namespace finegrain::platform_make
