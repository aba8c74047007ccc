// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "kernels/problem/placement.hpp"
#include "sim/output/table.hpp"
#include "sim/platform/platform.hpp"
#include "sim/replay/replay.hpp"

namespace finegrain::cli {

/// One replay of a schedule, and what it was of.
struct Replayed {
  const Schedule* schedule;
  const platform::Platform* platform;
  const problem::Placement* placement;
  replay::ReplayResult result;
};

/// Of which ranks a row of phases is.
enum class Grouping { all, node, rank };

/// A row a replay: seconds of all iterations, how many were simulated, and joules where the platform has
/// powers.
output::Table table_of_totals(const std::vector<Replayed>& replays);

/// A row a phase and group of ranks: microseconds of an iteration.
output::Table table_of_phases(const std::vector<Replayed>& replays, Grouping grouping);

/// Adds a note a platform: its file, and what it says of memory and messages.
void add_platform_notes(output::Table& table, const std::vector<platform::Platform>& platforms);

}  // namespace finegrain::cli
