// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "sim/cli/guard.hpp"

namespace finegrain::cli {

/// A binary and its arguments, each as it is passed on: no shell reads them.
using CommandLine = std::vector<std::string>;

/// The same for people to copy into a shell.
std::string shell_quoted(const CommandLine& command);

/// Runs a binary, found through PATH, to its end. Its output goes through our stdout, whose
/// errors are noticed when we end: mpirun would drop what it cannot write. Neither it nor what it starts on
/// this node outlives us, however we end (sim/cli/guard.hpp).
/// @returns its exit code. Where that is 128 + n, a line says of a user's program that a rank was killed, and
/// an InputError of ours
/// @throws InputError if it cannot be started, or it or one of its ranks was killed
int run_command(const CommandLine& command, Started started = Started::ours);

struct Output {
  int exit_code = 0;
  std::string text;  ///< what it wrote to stdout
};

/// The same with its stdout kept.
Output read_output(const CommandLine& command);

}  // namespace finegrain::cli
