// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "sim/replay/side_by_side.hpp"
#include "sim/report/timeline_data.hpp"

namespace finegrain::report {

/// Several jobs on one machine.
struct JobsReportInput {
  std::vector<replay::SharedJob> jobs;  ///< at least one
  std::vector<std::string> nodes;       ///< of each job, for people: "0-3+8"
  replay::ReplayOptions replay;
  int processes = 1;               ///< simulations at the same time
  std::vector<std::string> notes;  ///< further remarks for the page
};

/// Everything that the page shows of jobs: each job's time alone and together, what its ranks do in a window
/// of time, and how much of each link each job uses. Times are in seconds of the whole jobs.
/// @param simulated  called with the number of finished simulations; there are jobs.size() + 1
/// @throws InputError as replay_side_by_side() does
nlohmann::json jobs_report_data(const JobsReportInput& input,
                                const std::function<void(std::size_t)>& simulated,
                                const TimelineLimits& limits = {});

}  // namespace finegrain::report
