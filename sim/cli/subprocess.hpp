// SPDX-License-Identifier: MIT
#pragma once

#include <exception>
#include <string>
#include <vector>

namespace finegrain {

/// The user interrupted us (SIGINT) while a program ran, which has ended by now.
struct Interrupted : std::exception {
  static constexpr int exit_code = 128 + 2;  ///< as a shell counts SIGINT
  const char* what() const noexcept override { return "interrupted"; }
};

/// A program and its arguments, each as it is passed on: no shell reads them.
using CommandLine = std::vector<std::string>;

/// The same for people to copy into a shell.
std::string shell_quoted(const CommandLine& command);

/// Runs a program, found through PATH, to its end. Its output goes where ours goes; a SIGTERM or SIGINT that
/// we get is passed on to it, so that it does not outlive us.
/// @returns its exit code
/// @throws InputError if it cannot be started, or was killed by a signal; Interrupted if we were
int run_program(const CommandLine& command);

struct Output {
  int exit_code = 0;
  std::string text;  ///< what it wrote to stdout
};

/// The same with its stdout kept.
Output read_program(const CommandLine& command);

}  // namespace finegrain
