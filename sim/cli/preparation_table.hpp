// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <string>

#include "sim/cli/workload.hpp"
#include "sim/output/table.hpp"
#include "sim/platform/platform.hpp"
#include "sim/replay/replay.hpp"

namespace finegrain::cli {

/// What the runs do once before their first iteration, simulated, and after how many iterations this has paid
/// against another policy, which needs no preparation.
/// @param jobs  simulations at the same time
/// @throws InputError if nobody made a preparation of the runs, or the pattern has no such policy
output::Table preparation_table(const Workload& workload, std::span<const platform::Platform> platforms,
                                const std::string& against, const replay::ReplayOptions& options, int jobs);

}  // namespace finegrain::cli
