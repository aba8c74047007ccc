// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>

#include "sim/platform_make/fabric.hpp"

namespace finegrain::platform_make {

/// Slurm's topology.conf: SwitchName with Nodes or Switches, and LinkSpeed (fabric_of_switches()), or
/// BlockName with Nodes, and BlockSizes (fabric_of_blocks()). A file whose name ends in .yaml is a
/// topology.yaml.
/// @throws InputError with file and line
Fabric read_topology_conf(const std::filesystem::path& file);

/// Gives each connection of two switches the bandwidth of its cables: a switch has as many cables upwards as
/// nodes below it, divided by the ratio DOWN:UP; the switches above share them equally.
void add_uplinks(Fabric& fabric, const Number& ratio, const Number& link_bandwidth);

/// Whether add_uplinks() has something to do.
bool needs_uplinks(const Fabric& fabric);

/// The NodeName lines of a slurm.conf. "cores" are Boards x Sockets x CoresPerSocket, or else CPUs /
/// ThreadsPerCore; "memory_size" is RealMemory.
/// @throws InputError with file and line
NodeNumbers read_slurm_conf(const std::filesystem::path& file);

}  // namespace finegrain::platform_make
