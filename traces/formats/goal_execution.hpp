// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "traces/formats/goal_schedule.hpp"

namespace finegrain::formats {

/// When a rank's operations begin.
struct GoalStarts {
  std::vector<std::int64_t> start_ns;  ///< shape [operations]
  std::vector<std::uint32_t> order;    ///< operations, as they begin one after the other
};

/// How long a message takes, from its send until the receive has it. By default none, and no send waits.
struct GoalNetwork {
  std::int64_t latency_ns = 0;
  double ns_per_byte = 0;
  std::int64_t most_eager_bytes =
      std::numeric_limits<std::int64_t>::max();  ///< larger sends wait for their receives
};

/// Executes a schedule. Each cpu of a rank does one thing after the other: it begins all messages that may
/// begin, then the first of the calculations that may. An operation that nothing lets begin is not in its
/// rank's order.
/// @returns shape [ranks]
std::vector<GoalStarts> execute_goal(const std::vector<GoalRank>& schedule, const GoalNetwork& network = {});

}  // namespace finegrain::formats
