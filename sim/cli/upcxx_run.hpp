// SPDX-License-Identifier: MIT
#pragma once

#include "sim/cli/mpirun.hpp"

namespace finegrain {

/// The command line that starts a UPC++ program: upcxx-run's where finegrain was built with a real UPC++,
/// else Open MPI's.
/// @throws InputError as mpirun_command
CommandLine upcxx_command(const MpiRun& run);

/// The same with one rank a node, for as many nodes as the run has ranks.
/// @param mpirun_placement  what tells mpirun so; upcxx-run has its own word for it, and takes the nodes from
///        where its network layer is told them
CommandLine upcxx_command_between_nodes(const MpiRun& run, const CommandLine& mpirun_placement);

}  // namespace finegrain
