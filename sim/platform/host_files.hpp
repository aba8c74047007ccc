// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "sim/platform/node_list.hpp"

// Files with which users tell mpirun or srun where ranks run.

namespace finegrain::platform {

/// A hostfile: the nodes are its hosts, in its order. A line is "node1 slots=4 max-slots=8" (Open MPI),
/// "node1:4" (MPICH), or a list of names, "node[01-04],login" (Slurm). A host on several lines has all
/// their slots together; a line without a number adds one there. A host with one line and no number has as
/// many slots as cores.
/// @param hosts  the platform's @throws InputError with file and line
NodeList read_hostfile(const std::filesystem::path& file, const std::vector<std::string>& hosts);

/// A rankfile: "rank 3=node1 slot=0:1-2" (Open MPI), or one name for each rank, in their order
/// (SLURM_HOSTFILE). The nodes are those that ranks are on, in the order of `nodes`, or where that is empty,
/// of their first ranks.
/// @param hosts  the platform's, in natural order: "+n2" is the third @param nodes  a hostfile's, or empty
/// @throws InputError with file and line
NodeList read_rankfile(const std::filesystem::path& file, const std::vector<std::string>& hosts,
                       const NodeList& nodes);

}  // namespace finegrain::platform
