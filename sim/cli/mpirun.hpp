// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "sim/cli/subprocess.hpp"

namespace finegrain {

/// Ranks and threads of one kernel run on this machine.
struct MpiRun {
  int ranks = 1;
  int threads_per_rank = 1;
  std::string program;  ///< one of the kernels, which lie beside the finegrain binary
  std::vector<std::string> arguments;
};

/// Where a kernel is: beside the finegrain binary.
/// @throws InputError if it is not there
std::filesystem::path kernel_path(const std::string& name);

/// Cores that this process may use.
int cores_here();

/// Open MPI's command line for it: each rank bound to cores of its own if there are enough, else none bound.
/// @throws InputError if the kernel is not there, or ranks or threads are < 1
CommandLine mpirun_command(const MpiRun& run);

}  // namespace finegrain
