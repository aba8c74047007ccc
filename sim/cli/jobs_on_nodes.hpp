// SPDX-License-Identifier: MIT
#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "sim/cli/recorded_program.hpp"
#include "sim/cli/workload.hpp"
#include "sim/output/table.hpp"
#include "sim/replay/side_by_side.hpp"

namespace finegrain::cli {

/// Adds --job, which excludes the flags that say what runs alone. @pre the command has those flags, and those
/// of energy
CLI::Option* add_job_option(CLI::App& command, std::vector<std::string>& texts);

/// The traces, matrices and other files that jobs read, which the command must not write over.
/// @param texts  "runs/cg@nodes=0-15", or "--heat 2000x4000 --ranks 64@nodes=16-31,offset=2ms"
std::vector<std::filesystem::path> files_of_jobs(const std::vector<std::string>& texts);

/// Jobs on one machine, ready to be simulated.
struct JobsOnNodes {
  std::vector<replay::SharedJob> jobs;
  std::vector<std::string> texts;  ///< of each, what runs: its flags or its trace
  std::vector<std::string> nodes;  ///< of each, as they were given: "0-3+8"
  std::vector<std::string> notes;  ///< what has to be said of their simulation
};

/// Calls use(jobs) with the jobs of these texts. What they point to lives as long as the call.
/// @throws InputError for a text that is no job, and for jobs that cannot run on the platform
void with_jobs_on_nodes(const std::vector<std::string>& texts, const ProgramOptions& program,
                        const PlatformOptions& platform_options,
                        const std::function<void(const JobsOnNodes&)>& use);

/// Each job's time alone and beside the others.
output::Table compare_jobs(const std::vector<std::string>& texts, const ProgramOptions& program,
                           const PlatformOptions& platform_options, const replay::ReplayOptions& replay,
                           int processes);

/// The same as data of a report's page, with a timeline and the links.
nlohmann::json report_of_jobs(const std::vector<std::string>& texts, const ProgramOptions& program,
                              const PlatformOptions& platform_options, const replay::ReplayOptions& replay,
                              int processes);

}  // namespace finegrain::cli
