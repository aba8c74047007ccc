// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "sim/cli/job_texts.hpp"
#include "sim/cli/recorded_program.hpp"
#include "sim/cli/workload.hpp"
#include "sim/replay/side_by_side.hpp"

namespace finegrain::cli {

/// Jobs on one machine, ready to be simulated.
struct JobsOnNodes {
  std::vector<replay::SharedJob> jobs;
  std::vector<std::string> texts;  ///< what runs in each job: its flags or its trace
  std::vector<std::string> nodes;  ///< each job's, as they were given: "0-3+8"
  std::vector<std::string> notes;  ///< what has to be said of their simulation
};

/// What a job that is no trace runs. @throws InputError if that is impossible, or has several numbers of
/// ranks
Workload workload_of(const JobText& job, const JobPlace& place,
                     std::span<const platform::Platform> platforms = {});

/// @throws InputError if a job has more nodes than ranks
void check_fills_nodes(const JobText& job, int ranks, const JobPlace& place);

/// Calls use(jobs) with the jobs of these texts. What they point to lives as long as the call.
/// @param platform_options  whether more ranks than cores are allowed
/// @throws InputError for a text that is no job, and for jobs that cannot run on the platform
void with_jobs_on_nodes(const std::vector<std::string>& texts, const JobPlace& place,
                        const ProgramOptions& program, const platform::Platform& platform,
                        const PlatformOptions& platform_options,
                        const std::function<void(const JobsOnNodes&)>& use);

}  // namespace finegrain::cli
