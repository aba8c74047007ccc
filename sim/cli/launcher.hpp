// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "sim/cli/subprocess.hpp"

namespace CLI {
class App;
}

namespace finegrain::cli {

/// What starts the ranks of a run: mpirun is Open MPI's, hydra that of MPICH and of what is made of it,
/// upcxx_run a real UPC++'s own.
enum class Launcher : std::uint8_t { mpirun, hydra, srun, upcxx_run };

/// What a user says of it.
struct LauncherFlags {
  std::string name;  ///< empty: usual_launcher
  std::string hostfile;
  std::vector<std::string> arguments;  ///< each a word or several, as in a shell
};

/// --launcher, --hostfile and --launcher-args.
void add_launcher_options(CLI::App& command, LauncherFlags& flags);

/// The launcher of the MPI that the kernels were built with. UPC++ programs are started by upcxx_run where
/// they were built with a real UPC++.
Launcher usual_launcher(bool is_upcxx);

/// The launcher that the flags name.
/// @throws InputError if it cannot start such a binary
Launcher launcher_of(const LauncherFlags& flags, bool is_upcxx);

/// Ranks and threads of one kernel run.
struct LaunchedRun {
  int ranks = 1;
  int threads_per_rank = 1;
  std::string binary;  ///< one of the kernels, which lie beside the finegrain binary
  std::vector<std::string> arguments = {};
  Launcher launcher = Launcher::mpirun;
  std::vector<std::string> environment = {};  ///< "NAME=value", on every rank
  std::optional<int> nodes = {};  ///< equally many ranks on each. Default: as the launcher decides
  std::string hostfile = {};      ///< names nodes to the launcher
  bool here = true;               ///< false: nothing is known of where it will run
  std::vector<std::string> launcher_words = {};
};

/// Where a kernel is: beside the finegrain binary, where it is built if need be.
/// @throws InputError if it is not there
std::filesystem::path kernel_path(const std::string& name);

/// Cores that this process may use.
int cores_here();

/// The words of the flags' launcher arguments.
std::vector<std::string> launcher_words(const LauncherFlags& flags);

/// The launcher's command line for it: each rank bound to cores of its own. On this node alone they are not
/// bound where there are too few.
/// @throws InputError if the kernel is not there, ranks or threads are < 1, nodes do not divide the ranks, or
///         the launcher takes no hostfile
CommandLine launch_command(const LaunchedRun& run);

}  // namespace finegrain::cli
