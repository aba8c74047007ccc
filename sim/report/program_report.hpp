// SPDX-License-Identifier: MIT
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <vector>

#include "sim/answer/evaluate.hpp"
#include "traces/program_summary.hpp"

namespace finegrain::report {

/// What the page says of a recorded program as a whole and of its functions, which are the page's phases,
/// with all times in seconds of the whole program: what compare keeps as JSON.
/// @param answers  at least one, each a simulation of the same program; all have the recording
nlohmann::json overview_of_program(std::span<const answer::Answer> answers, const ProgramSummary& measured,
                                   const replay::ReplayOptions& options);

/// Adds what needs every rank, on the platform of the first answer: their bars, messages and timeline.
/// @param data  overview_of_program()
void add_ranks_of_program(nlohmann::json& data, std::span<const answer::Answer> answers,
                          const ProgramSummary& measured, const replay::ReplayOptions& options);

/// One page of several recordings of a program, in ascending order of their ranks.
/// @param pages  overview_of_program() of each, on the same platforms
/// @param focus  the one whose ranks are drawn
/// @pre there is at least one page
nlohmann::json data_of_recordings(std::vector<nlohmann::json> pages, std::size_t focus);

}  // namespace finegrain::report
