// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>

#include "kernels/problem/ellpack.hpp"
#include "traces/programs.hpp"

namespace finegrain {

inline constexpr int ranks_of_node = 16;

/// Computes, sends to 26 ranks that are chosen at random, and waits.
/// @param spread  the relative spread of sizes around 8 KiB and of work around 1 MB
Schedule random_neighbours(int ranks, double spread);

/// @param traffic  "condensed" or "block" (gets), an SpMV of `matrix`; "heat"; "random" or "regular"
Schedule traffic_of(const std::string& traffic, const problem::EllpackView& matrix, int ranks);

/// Puts, gets and sends of an iteration.
std::int64_t count_messages(const Schedule& schedule);

}  // namespace finegrain
