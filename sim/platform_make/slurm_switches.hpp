// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/platform_make/fabric.hpp"

// What a topology.conf and a topology.yaml say alike, as a fabric.

namespace finegrain::platform_make {

/// A switch of a tree. Lists are as Slurm writes them: "node[01-04]".
struct SlurmSwitch {
  std::string name;
  std::string nodes;       ///< a list, or empty
  std::string switches;    ///< those below, or empty
  std::string link_speed;  ///< or empty
  std::string where;       ///< "file:line"
};

/// Nodes that Slurm prefers to give to one job (topology/block).
struct SlurmBlock {
  std::string name;
  std::string nodes;  ///< a list
  std::string where;
};

/// A LinkSpeed with a unit is the bandwidth of the switch's connections to those that its line names. Slurm
/// takes any number, so one without a unit is left out, with a note. Connections of switches without one have
/// no bandwidth yet: see add_uplinks().
/// @throws InputError with the place of what is wrong
Fabric fabric_of_switches(const std::vector<SlurmSwitch>& switches, const std::string& file);

/// Each block is a switch with its nodes. Consecutive blocks that make one of a higher size have a switch
/// above them, and one switch is above all: with the sizes 4 and 16, each four blocks have one.
/// @param sizes  those of blocks, in nodes, the base size first; fewer than two: no blocks are joined
/// @throws InputError with the place of what is wrong
Fabric fabric_of_blocks(const std::vector<SlurmBlock>& blocks, const std::vector<std::int64_t>& sizes,
                        const std::string& where_sizes);

}  // namespace finegrain::platform_make
