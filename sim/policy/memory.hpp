// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "kernels/problem/placement.hpp"
#include "sim/pattern/pattern.hpp"
#include "sim/platform/platform.hpp"
#include "traces/run.hpp"

namespace finegrain::policy {

/// The memory of a run's ranks, by what it is for: the pattern's arrays, and what the policy adds. Empty
/// where the pattern does not say what its arrays are.
/// @param counts  the run's; empty: the memory that follows from counts is left out
std::vector<pattern::MemoryUse> memory_of(const Run& run, std::span<const pattern::RankCounts> counts);

/// The bytes on each node, shape [nodes].
std::vector<std::int64_t> bytes_of_nodes(std::span<const pattern::MemoryUse> uses,
                                         const problem::Placement& placement);

/// A text that says that a node of the platform has less memory than its ranks need; empty if the memory
/// suffices, or if its size is unknown.
std::string too_little_memory(const Run& run, std::span<const pattern::RankCounts> counts,
                              const problem::Placement& placement, const platform::Platform& platform);

}  // namespace finegrain::policy
