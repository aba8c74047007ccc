// SPDX-License-Identifier: MIT
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <span>

#include "sim/answer/evaluate.hpp"

namespace finegrain::report {

/// measured | simulated | closed form of one run on one platform, as a total and phase by phase. A measured
/// or simulated phase has the time of the slowest rank and the mean over the ranks; the means add up to an
/// iteration. A phase of the closed form has the time of the node and the rank that decide the total.
nlohmann::json answer_of(const answer::Answer& answer);

/// Adds the ends of the simulated time's interval, in seconds of one of so many iterations: simulated_low_s
/// and simulated_high_s; nothing where there is no interval.
void add_interval(nlohmann::json& json, const answer::Answer& answer, double iterations);

/// What ranks wait for, the mean of them: the causes that any has, each with a name for people and seconds.
nlohmann::json waits_data(std::span<const replay::Waits> ranks);

/// Energy per iteration: total and idle joules, and the mean power in watts. The list of phases is empty.
/// @param iterations  1 for a recorded program
/// @pre the simulation has an energy
nlohmann::json energy_data(const replay::ReplayResult& simulated, double iterations);

}  // namespace finegrain::report
