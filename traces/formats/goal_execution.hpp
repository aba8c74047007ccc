// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "traces/formats/goal_schedule.hpp"

namespace finegrain::formats {

/// When a rank's operations begin.
struct GoalStarts {
  std::vector<std::int64_t> start_ns;  ///< shape [operations]
  std::vector<std::uint32_t> order;    ///< operations, as they begin one after the other
};

/// Executes a schedule in which messages take no time, and no send waits. Each cpu of a rank does one thing
/// after the other: it begins all messages that may begin, then the first of the calculations that may. An
/// operation that nothing lets begin is not in its rank's order.
/// @returns shape [ranks]
std::vector<GoalStarts> execute_goal(const std::vector<GoalRank>& schedule);

}  // namespace finegrain::formats
