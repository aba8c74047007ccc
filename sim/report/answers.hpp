// SPDX-License-Identifier: MIT
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>

#include "sim/model/numbered_phase.hpp"
#include "sim/policy/closed_form.hpp"
#include "sim/replay/replay.hpp"
#include "sim/report/report_data.hpp"

namespace finegrain::report {

/// None if it needs a matrix and has none, or there are no equations.
std::optional<model::Prediction> closed_form_of(const ReportRun& run, const platform::Platform& platform);

/// measured | simulated | closed form of one run on one platform, as a total and phase by phase. For a phase
/// it has the mean over the ranks, which adds up to their iteration, and the time of the slowest rank. Where
/// it is from the closed form, a phase has the time of the node and the rank that decide the total.
nlohmann::json answer_of(const ReportRun& run, const replay::ReplayResult& simulated,
                         const std::optional<model::Prediction>& closed_form);

/// What the ranks add in a phase to the energy of an idle machine, all iterations.
double phase_joules(const Schedule& schedule, const replay::ReplayResult& simulated,
                    const model::NumberedPhase& phase);

/// Joules of a simulation that has some, of an iteration: all, idle, mean power, and no phases yet.
/// @param iterations  1 of a program
nlohmann::json energy_data(const replay::ReplayResult& simulated, double iterations);

}  // namespace finegrain::report
