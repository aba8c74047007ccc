// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "sim/cli/recorded_program.hpp"
#include "sim/cli/workload.hpp"
#include "sim/output/table.hpp"

namespace finegrain::cli {

/// Each job's time alone and beside the others.
/// @param texts  "runs/cg@nodes=0-15", or "--heat 2000x4000 --ranks 64@nodes=16-31,offset=2ms"
output::Table compare_jobs(const std::vector<std::string>& texts, const ProgramOptions& program,
                           const PlatformOptions& platform_options, const replay::ReplayOptions& replay,
                           int processes);

}  // namespace finegrain::cli
