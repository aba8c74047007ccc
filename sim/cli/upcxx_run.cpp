// SPDX-License-Identifier: MIT
#include "sim/cli/upcxx_run.hpp"

#include <fmt/format.h>

namespace finegrain {

CommandLine upcxx_command(const MpiRun& run) {
#ifdef FINEGRAIN_UPCXX_RUN
  CommandLine command = {FINEGRAIN_UPCXX_RUN, "-n", fmt::format("{}", run.ranks),
                         kernel_path(run.program).string()};
  command.insert(command.end(), run.arguments.begin(), run.arguments.end());
  return command;
#else
  return mpirun_command(run);
#endif
}

}  // namespace finegrain
