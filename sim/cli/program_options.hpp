// SPDX-License-Identifier: MIT
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "sim/schedule/programs.hpp"

namespace finegrain {

/// The flags that choose one of a kernel's programs; the same in every subcommand that has them.
struct ProgramOptions {
  std::string policy = "condensed";
  std::string transfer;    ///< empty: two-sided for condensed, get for the others
  std::string completion;  ///< empty: the usual one
};

/// Adds --policy, --transfer and --completion.
void add_program_options(CLI::App& command, ProgramOptions& options);

/// What the flags ask for, which may not exist.
/// @param programs  of the kernel
Program program_of(const ProgramOptions& options, const std::vector<Program>& programs);

}  // namespace finegrain
