// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>

#include "sim/answer/evaluate.hpp"
#include "sim/output/table.hpp"

namespace finegrain::answer {

/// Whether the simulation says what its ranks wait for (RankReplay::waits).
bool knows_waits(const Answer& answer);

/// What each row of a table of waits is about. Regions are the functions or places of a program, and the
/// phases of a schedule.
enum class WaitsOf : std::uint8_t { regions, ranks };

/// Why ranks wait, by cause (replay::wait_causes()), in seconds of the whole run: the mean of the ranks for
/// each region, or each rank. The first row of each answer is the mean of the ranks in all regions.
/// @pre each answer has a simulation
output::Table table_of_waits(std::span<const Answer> answers, WaitsOf rows);

}  // namespace finegrain::answer
