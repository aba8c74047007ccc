// SPDX-License-Identifier: MIT
#pragma once

#include <CLI/CLI.hpp>

namespace finegrain::cli {

/// Adds `trace import`: others' traces become finegrain's.
void add_trace_import(CLI::App& trace_command);

}  // namespace finegrain::cli
