// SPDX-License-Identifier: MIT
#include "sim/cli/upcxx_run.hpp"

#include <fmt/format.h>

namespace finegrain {

#ifdef FINEGRAIN_UPCXX_RUN

namespace {

CommandLine upcxx_run(const MpiRun& run, const CommandLine& placement) {
  CommandLine command = {FINEGRAIN_UPCXX_RUN, "-n", fmt::format("{}", run.ranks)};
  command.insert(command.end(), placement.begin(), placement.end());
  command.push_back(kernel_path(run.program).string());
  command.insert(command.end(), run.arguments.begin(), run.arguments.end());
  return command;
}

}  // namespace

CommandLine upcxx_command(const MpiRun& run) {
  return upcxx_run(run, {});
}

CommandLine upcxx_command_between_nodes(const MpiRun& run, const CommandLine&) {
  return upcxx_run(run, {"-N", fmt::format("{}", run.ranks)});
}

#else

CommandLine upcxx_command(const MpiRun& run) {
  return mpirun_command(run);
}

CommandLine upcxx_command_between_nodes(const MpiRun& run, const CommandLine& mpirun_placement) {
  CommandLine command = mpirun_command(run);
  command.insert(command.begin() + 1, mpirun_placement.begin(), mpirun_placement.end());
  return command;
}

#endif

}  // namespace finegrain
