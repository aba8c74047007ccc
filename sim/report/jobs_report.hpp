// SPDX-License-Identifier: MIT
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <vector>

#include "sim/answer/evaluate.hpp"
#include "sim/report/timeline_data.hpp"

namespace finegrain::report {

/// Several jobs on one machine.
struct JobsReportInput {
  std::span<const replay::SharedJob> jobs;  ///< at least one
  std::vector<answer::Answer> answers;      ///< evaluate_side_by_side() of these jobs
  std::vector<std::string> nodes;           ///< each job's, for people: "0-3+8"
  replay::ReplayOptions replay;
  std::vector<std::string> notes;  ///< further remarks for the page
};

/// Everything that the page shows of jobs: each job's time alone and together, what its ranks do in a window
/// of time, and how much of each link each job uses. Times are in seconds of the whole jobs.
/// @throws InputError as replay_timeline_side_by_side() does
nlohmann::json jobs_report_data(const JobsReportInput& input, const TimelineLimits& limits = {});

}  // namespace finegrain::report
