// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "sim/cli/guard.hpp"

namespace finegrain::cli {

/// A binary and its arguments, each as it is passed on: no shell reads them.
using CommandLine = std::vector<std::string>;

/// The same for people to copy into a shell.
std::string shell_quoted(const CommandLine& command);

/// Runs a binary of finegrain, found through PATH, to its end. Its output goes through our stdout, whose
/// errors are noticed when we end: mpirun would drop what it cannot write. Neither it nor what it starts on
/// this node outlives us, however we end (sim/cli/guard.hpp).
/// @returns its exit code
/// @throws InputError if it cannot be started, or it or one of its ranks was killed
int run_command(const CommandLine& command);

/// How a user's program ended, or the launcher that started it.
struct ProgramEnd {
  int exit_code = 0;    ///< 128 + n where signal n ended it
  std::string problem;  ///< what the exit code does not say, e.g. "rank 2 ended by signal 9 (Killed)"
  SaidAtEnd said;       ///< by the launcher and its ranks
  std::string without_recorder;  ///< a program that called MPI, but had not loaded the preloaded library
  std::string name;              ///< that of what was started
};

/// Runs a user's program to its end, whatever that is. If our stdout takes no more, it goes on, and a line
/// says so.
/// @param when_interrupted  called before a signal that came meanwhile ends this process
/// @throws InputError if it cannot be started
ProgramEnd run_program(const CommandLine& command, const std::function<void()>& when_interrupted);

struct Output {
  int exit_code = 0;
  std::string text;  ///< what it wrote to stdout
};

/// The same with its stdout kept.
Output read_output(const CommandLine& command);

}  // namespace finegrain::cli
