// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "kernels/problem/placement.hpp"
#include "sim/platform/platform.hpp"
#include "traces/programs.hpp"

namespace finegrain::replay {

/// Bytes that a replay moves over the memory of each node in one iteration: work, and messages between ranks
/// of the node. Messages from and to other nodes are not included. Shape [nodes]
/// @pre the schedule has no collective but barriers
std::vector<double> node_memory_bytes(const Schedule& schedule, const platform::PlatformCosts& costs,
                                      const problem::Placement& placement);

}  // namespace finegrain::replay
