// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "sim/model/formula.hpp"
#include "sim/pattern/counts.hpp"
#include "sim/platform/platform.hpp"
#include "traces/run.hpp"

namespace finegrain::policy {

/// Whether there are equations for the run's policy.
bool has_closed_form(const Run& run);

/// The equations of the run's pattern or policy: eqs. (5) to (22), Lagravière et al. 2019.
/// @param counts  every rank's on its node, shape [run.ranks]; not used if the pattern has equations of its
/// own
/// @pre has_closed_form(run)
/// @throws InputError if there is no such variant
model::Formula formula_of(const Run& run, std::span<const pattern::RankCounts> counts, model::ClosedForm form,
                          const problem::Placement& placement);

/// The counts of what `rank` exchanges with one other rank, in the equations' own direction
/// (Formula::counts_sent). Shape [terms] of formula_of(); all 0 if they exchange nothing. What the other rank
/// unpacks of it is counted too.
std::vector<double> counts_with_peer(const Run& run, std::span<const pattern::RankCounts> counts,
                                     model::ClosedForm form, const problem::Placement& placement, int rank,
                                     int peer);

/// The value of formula_of(); none if there are no equations, or if the counts that they need are missing.
/// @param placement  none: block placement
/// @throws InputError if there is no such variant, or the run spans nodes and the platform lacks tau or
/// remote_bandwidth
std::optional<model::Prediction> predict(const Run& run, std::span<const pattern::RankCounts> counts,
                                         const platform::PlatformCosts& costs,
                                         model::ClosedForm form = model::ClosedForm::as_published,
                                         const problem::Placement* placement = nullptr);

/// What the closed form leaves out of a run, as texts for the user.
std::vector<std::string> closed_form_gaps(const Run& run);

}  // namespace finegrain::policy
