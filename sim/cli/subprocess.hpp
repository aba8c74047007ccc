// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

namespace finegrain {

/// A program and its arguments, each as it is passed on: no shell reads them.
using CommandLine = std::vector<std::string>;

/// The same for people to copy into a shell.
std::string shell_quoted(const CommandLine& command);

/// Runs a program, found through PATH, to its end. Its output goes where ours goes; a SIGTERM that we get is
/// passed on to it, so that it does not outlive us.
/// @returns its exit code
/// @throws InputError if it cannot be started, or was killed by a signal
int run_program(const CommandLine& command);

struct Output {
  int exit_code = 0;
  std::string text;  ///< what it wrote to stdout
};

/// The same with its stdout kept.
Output read_program(const CommandLine& command);

}  // namespace finegrain
