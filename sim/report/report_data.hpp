// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <vector>

#include "kernels/problem/placement.hpp"
#include "sim/answer/evaluate.hpp"
#include "sim/pattern/pattern.hpp"
#include "sim/platform/platform.hpp"
#include "sim/replay/replay.hpp"

namespace finegrain::report {

/// A run as the page knows it: name, ranks, nodes, ...
nlohmann::json run_data(const Run& run, const problem::Placement& placement);
nlohmann::json platform_data(const platform::Platform& platform);

/// What the page's first table shows beside times: a row for each answer, as docs/json.md describes it.
nlohmann::json totals_of(std::span<const answer::Answer> answers);

/// What the page says of runs as a whole and of their phases, in seconds of one iteration: what compare keeps
/// as JSON. Recorded runs come first, then the others by their ranks.
/// @param focus  the answer whose ranks are drawn, if any are
nlohmann::json overview_of(std::span<const answer::Answer> answers, std::size_t focus,
                           const replay::ReplayOptions& options);

/// The place of the run with most ranks. @pre there is one
std::size_t largest_of(std::span<const answer::Question> questions);

/// The overview, and everything that the page shows of the ranks of one run.
/// @param questions  at least one, in the order of the answers
/// @param focus  the question whose ranks are drawn
/// @param pattern  the runs'; null: not known, nor are counts
/// @param processes  simulations at the same time
/// @param simulated  called each time a simulation ends, with the number of finished simulations and of all
/// @throws InputError as predict() and replay() do
nlohmann::json report_data(std::vector<answer::Question> questions, std::size_t focus,
                           const pattern::Pattern* pattern, int processes,
                           const replay::ReplayOptions& options,
                           const std::function<void(std::size_t, std::size_t)>& simulated);

}  // namespace finegrain::report
