// SPDX-License-Identifier: MIT
#pragma once

#include "sim/cli/mpirun.hpp"

namespace finegrain {

/// The command line that starts a UPC++ program: upcxx-run's where finegrain was built with a real UPC++,
/// else Open MPI's.
/// @throws InputError as mpirun_command
CommandLine upcxx_command(const MpiRun& run);

}  // namespace finegrain
