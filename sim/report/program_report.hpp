// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <vector>

#include "sim/report/report_data.hpp"
#include "traces/program_summary.hpp"

namespace finegrain::report {

/// A recorded program, which any MPI program may be.
struct ProgramReportInput {
  std::string trace;    ///< its name
  std::string machine;  ///< where it was recorded; may be empty
  bool oversubscribed = false;
  ProgramSummary measured;
  std::vector<replay::ReplayJob> jobs;  ///< at least one; all of the same program and placement
  replay::ReplayOptions replay;
  int processes = 1;               ///< simulations at the same time
  std::vector<std::string> notes;  ///< further remarks for the page
  bool draws_ranks = true;         ///< also what needs every rank: its bars, messages and timeline
};

/// Everything that the page shows of a recorded program, with all times in seconds of the whole program. The
/// page's phases are the program's functions. Ranks are drawn as they are on the first platform.
/// @param simulated  called each time a simulation ends, with the number of finished simulations and of all
/// @throws InputError as replay_all() does
nlohmann::json program_report_data(const ProgramReportInput& input,
                                   const std::function<void(std::size_t, std::size_t)>& simulated);

/// One page of several recordings of a program, in ascending order of their ranks.
/// @param pages  program_report_data() of each, on the same platforms
/// @param focus  the one whose ranks are drawn
/// @pre there is at least one page
nlohmann::json data_of_recordings(std::vector<nlohmann::json> pages, std::size_t focus);

}  // namespace finegrain::report
