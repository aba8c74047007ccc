// SPDX-License-Identifier: MIT
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/output/table.hpp"
#include "sim/replay/replay.hpp"

namespace finegrain::cli {

/// What one simulation did, moment by moment, as a command was asked for it.
struct TimelineOptions {
  bool critical_path = false;
  std::string file;  ///< empty: none
  bool force = false;

  bool asked() const { return critical_path || !file.empty(); }
};

/// Adds --critical-path, --timeline and --force.
void add_timeline_options(CLI::App& command, TimelineOptions& options);

/// Simulates the job in full, writes the timeline's file, and returns the tables of its critical path.
/// @param iterations  a schedule's to simulate; none: all, at most 10. A program is simulated to its end
/// @param inputs  files that must not be replaced
std::vector<output::Table> show_timeline(replay::ReplayJob job, const replay::ReplayOptions& replay,
                                         std::optional<std::int64_t> iterations,
                                         const TimelineOptions& options,
                                         const std::vector<std::filesystem::path>& inputs);

}  // namespace finegrain::cli
