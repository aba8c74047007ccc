// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "sim/platform/platform.hpp"

namespace finegrain::platform {

/// What a platform file says besides costs.
struct PlatformFacts {
  std::optional<int> cores;  ///< those of the host that has fewest; none if the file does not say
  std::string measured_on;   ///< machine_identity() of the calibrated machine; empty: not measured
  std::string disturbed_by;  ///< what else ran during its calibration; empty: nothing of note
};

/// @throws InputError as read_platform()
PlatformFacts platform_facts(const std::filesystem::path& file);

/// How many ranks with this many threads a node has cores for, at least one; none if the file does not say
/// how many cores a node has.
std::optional<int> ranks_that_fit(const PlatformFacts& platform, int threads_per_rank);

/// A text like "64 ranks x 1 thread on a node, which has 16 cores" if a node has more threads than hardware
/// threads; else empty.
/// @param costs  the same platform's @param node  its name, where nodes are unlike one another
std::string oversubscription(const PlatformFacts& facts, const PlatformCosts& costs, int ranks_on_node,
                             int threads_per_rank, const std::string& node = {});

}  // namespace finegrain::platform
