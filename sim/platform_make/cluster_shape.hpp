// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>

#include "sim/platform_make/machine_line.hpp"

namespace finegrain::platform_make {

/// A regular network as SimGrid's <cluster> describes it.
struct ClusterShape {
  std::string topology;     ///< "FAT_TREE", "DRAGONFLY", "TORUS"; empty: one switch
  std::string parameters;   ///< topo_parameters
  std::int64_t places = 0;  ///< nodes for which it has room
  std::int64_t nodes = 0;   ///< nodes that there are: the first ones
  std::string explanation;  ///< how the parameters follow from what was given
};

/// The network of a line whose numbers are complete (with_needed_numbers()):
/// - fat_tree: leaf switches divide their ports by DOWN:UP, the switches between have as many up as down, and
/// top
///   switches only down. Where few subtrees leave ports of a top switch free, it has several links to each.
/// - rail_optimised: each rail has a fat tree of its own, of which this is one.
/// - dragonfly: the switches of a group are all linked to one another, and each two groups.
/// @throws InputError if there is no room for the nodes, or a switch has too few ports
ClusterShape cluster_shape(const MachineLine& line);

}  // namespace finegrain::platform_make
