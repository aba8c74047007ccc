// SPDX-License-Identifier: MIT
#pragma once

#include <CLI/CLI.hpp>

namespace finegrain::cli {

/// Adds `completion SHELL`, which prints a script that completes subcommands, flags and their values there.
void add_completion_command(CLI::App& app);

}  // namespace finegrain::cli
