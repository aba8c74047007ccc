// SPDX-License-Identifier: MIT
#pragma once

#include <CLI/CLI.hpp>

namespace finegrain::cli {

/// Adds `trace scale`: a recorded program on another number of ranks.
void add_trace_scale(CLI::App& trace_command);

}  // namespace finegrain::cli
