// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <span>

#include "kernels/problem/placement.hpp"
#include "sim/model/prediction.hpp"
#include "sim/platform/platform.hpp"
#include "sim/schedule/counts.hpp"
#include "traces/run.hpp"

namespace finegrain {

/// Whether there are equations for the run: there are none for policy naive (docs/model.md).
bool has_closed_form(const Run& run);

/// The closed form of one SpMV iteration: eqs. (5) to (18), Lagravière et al. 2019.
/// @param counts  of every rank on its node, shape [run.ranks]
/// @param placement  none: block
/// @pre run.problem is an SpmvProblem
/// @throws InputError if there is no such program or no closed form of it, or the run spans nodes and the
/// platform lacks tau or remote_bandwidth
Prediction predict(const Run& run, std::span<const RankCounts> counts, const PlatformCosts& costs,
                   ClosedForm form, const Placement* placement = nullptr);

/// The closed form of one 2D heat step: eqs. (19) to (22).
/// @pre run.problem is a HeatProblem with mprocs * nprocs == run.ranks
/// @throws InputError if there is no such program, or the run spans nodes and the platform lacks tau or
/// remote_bandwidth
Prediction predict_heat(const Run& run, const PlatformCosts& costs, ClosedForm form,
                        const Placement* placement = nullptr);

/// The closed form of one iteration of either kernel; none where there are no equations.
/// @param counts  of every rank, shape [run.ranks]; not looked at for heat
/// @throws InputError as the two above
std::optional<Prediction> predict_run(const Run& run, std::span<const RankCounts> counts,
                                      const PlatformCosts& costs, ClosedForm form = ClosedForm::as_published,
                                      const Placement* placement = nullptr);

}  // namespace finegrain
