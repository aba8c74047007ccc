// SPDX-License-Identifier: MIT
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <vector>

#include "sim/model/numbered_phase.hpp"
#include "sim/policy/closed_form.hpp"
#include "sim/replay/replay.hpp"
#include "sim/report/report_data.hpp"

namespace finegrain::report {

/// The closed form of a run; none if it needs a matrix and has none, or there are no equations.
std::optional<model::Prediction> closed_form_of(const ReportRun& run, const platform::Platform& platform);

/// measured | simulated | closed form of one run on one platform, as a total and phase by phase. A measured
/// or simulated phase has the time of the slowest rank and the mean over the ranks; the means add up to an
/// iteration. A phase of the closed form has the time of the node and the rank that decide the total.
nlohmann::json answer_of(const ReportRun& run, const replay::ReplayResult& simulated,
                         const std::optional<model::Prediction>& closed_form);

/// The phases that any rank has, in program order. A rank without accesses may lack some.
std::vector<model::NumberedPhase> phases_of_ranks(const Schedule& schedule);

/// Joules that the ranks add in a phase to the energy of an idle machine, over all iterations.
double phase_joules(const Schedule& schedule, const replay::ReplayResult& simulated,
                    const model::NumberedPhase& phase);

/// Energy per iteration: total and idle joules, and the mean power in watts. The list of phases is empty.
/// @param iterations  1 for a recorded program
/// @pre the simulation has an energy
nlohmann::json energy_data(const replay::ReplayResult& simulated, double iterations);

}  // namespace finegrain::report
