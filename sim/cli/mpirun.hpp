// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "sim/cli/subprocess.hpp"

namespace finegrain::cli {

/// What starts the ranks of a run. upcxx_run is a real UPC++'s own.
enum class Launcher : std::uint8_t { mpirun, srun, upcxx_run };

/// What starts UPC++ programs: upcxx_run where finegrain was built with a real UPC++, else mpirun.
Launcher usual_upcxx_launcher();

/// Ranks and threads of one kernel run.
struct MpiRun {
  int ranks = 1;
  int threads_per_rank = 1;
  std::string program;  ///< one of the kernels, which lie beside the finegrain binary
  std::vector<std::string> arguments;
  Launcher launcher = Launcher::mpirun;
  std::vector<std::string> environment = {};  ///< "NAME=value", on every rank
  std::vector<std::string> launcher_options = {};
};

/// Where a kernel is: beside the finegrain binary.
/// @throws InputError if it is not there
std::filesystem::path kernel_path(const std::string& name);

/// Cores that this process may use.
int cores_here();

/// The launcher's command line for it: each rank bound to cores of its own, if there are enough, else none
/// bound.
/// @throws InputError if the kernel is not there, or ranks or threads are < 1
CommandLine mpirun_command(const MpiRun& run);

}  // namespace finegrain::cli
