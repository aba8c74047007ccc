// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>

#include "sim/platform_make/fabric.hpp"

namespace finegrain::platform_make {

/// Slurm's topology.yaml: its only topology, or the first with `cluster_default: true`. A tree has switches
/// with `nodes` or `children` (fabric_of_switches()), a block topology has blocks (fabric_of_blocks()).
/// @throws InputError with file and line
Fabric read_topology_yaml(const std::filesystem::path& file);

/// Whether the file's name says that it is one: it ends in .yaml or .yml.
bool is_topology_yaml(const std::filesystem::path& file);

}  // namespace finegrain::platform_make
