// SPDX-License-Identifier: MIT
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "sim/cli/noise_table.hpp"
#include "sim/cli/recorded_program.hpp"
#include "sim/cli/workload.hpp"
#include "sim/output/table.hpp"

namespace finegrain::cli {

/// Each job's time alone and beside the others; with noise also the medians of these.
/// @param texts  as parse_job() reads them
output::Table compare_jobs(const std::vector<std::string>& texts, const ProgramOptions& program,
                           const PlatformOptions& platform_options, const replay::ReplayOptions& replay,
                           int processes, const NoiseOptions& noise);

/// The same as data of a report's page, with a timeline and the links.
nlohmann::json report_of_jobs(const std::vector<std::string>& texts, const ProgramOptions& program,
                              const PlatformOptions& platform_options, const replay::ReplayOptions& replay,
                              int processes);

}  // namespace finegrain::cli
