// SPDX-License-Identifier: MIT
#pragma once

#include <CLI/CLI.hpp>

namespace finegrain::cli {

/// Adds `finegrain trace export`.
void add_trace_export(CLI::App& trace_command);

}  // namespace finegrain::cli
