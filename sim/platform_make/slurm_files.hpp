// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>

#include "sim/platform_make/fabric.hpp"

namespace finegrain::platform_make {

/// Slurm's topology.conf (topology/tree): SwitchName with Nodes or Switches, and LinkSpeed. A LinkSpeed with
/// a unit is the bandwidth of the switch's connections to those that its line names. Slurm takes any number,
/// so one without a unit is left out, with a note. Connections of switches without one have no bandwidth yet:
/// see with_uplinks().
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
