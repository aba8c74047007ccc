// SPDX-License-Identifier: MIT
#pragma once

#include <CLI/CLI.hpp>

#include "traces/timeline_export.hpp"
#include "traces/trace_reader.hpp"

namespace finegrain::cli {

/// The flags that select a part of a recorded run.
struct SelectionOptions {
  std::string from = "0s";
  std::string until;               ///< empty: the end
  std::vector<std::string> ranks;  ///< "3", "16..31"; empty: all
};

/// Adds --from, --until and --ranks. @param of  what their help begins with
void add_selection_options(CLI::App& command, SelectionOptions& options, const std::string& of);

/// @throws InputError for flags that are no times, or no ranks of the trace
TimelineSelection selection_of(const SelectionOptions& options, const Trace& trace);

/// Adds `finegrain trace export`.
void add_trace_export(CLI::App& trace_command);

}  // namespace finegrain::cli
