// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "sim/cli/comparison.hpp"
#include "sim/cli/noise_table.hpp"
#include "sim/cli/workload.hpp"
#include "sim/replay/replay.hpp"
#include "traces/trace_reader.hpp"

namespace finegrain::cli {

/// One recorded run on platforms, phase by phase: measured | simulated | closed form. Of several platforms,
/// also the totals; with noise, also the times with it.
/// @param name  the trace's, for errors
/// @throws InputError for what cannot be compared with it
Comparison compare_trace(const Trace& trace, const std::string& name, const WorkloadOptions& workload,
                         const PlatformOptions& platforms, const replay::ReplayOptions& replay, int processes,
                         const std::string& waits, const NoiseOptions& noise = {});

}  // namespace finegrain::cli
