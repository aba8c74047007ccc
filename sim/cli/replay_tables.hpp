// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "sim/answer/evaluate.hpp"
#include "sim/output/table.hpp"
#include "sim/platform/platform.hpp"

namespace finegrain::cli {

/// Which ranks a row of phases is of.
enum class Grouping { all, node, rank };

/// A row for each replay: seconds of all iterations, how many were simulated, and joules where the platform
/// has powers.
output::Table table_of_totals(const std::vector<answer::Answer>& answers);

/// A row a phase and group of ranks: microseconds of an iteration.
output::Table table_of_phases(const std::vector<answer::Answer>& answers, Grouping grouping);

/// Adds a note a platform: its file, and what it says of memory and messages.
void add_platform_notes(output::Table& table, const std::vector<platform::Platform>& platforms);

}  // namespace finegrain::cli
