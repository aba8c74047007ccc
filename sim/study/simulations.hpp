// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <vector>

#include "sim/replay/replay.hpp"
#include "sim/study/answer.hpp"
#include "sim/study/points.hpp"

namespace finegrain::study {

/// Simulates points, `processes` at a time. Each point has a process of its own, which also makes its
/// schedule. `finished` gets each answer as soon as there is one. A simulation that fails or is interrupted
/// gives an answer without a total.
/// @param points  all must be feasible
void simulate_points(const std::vector<const StudyPoint*>& points, const StudyInputs& inputs, int processes,
                     const replay::ReplayOptions& options,
                     const std::function<void(const StudyPoint&, const Answer&)>& finished);

}  // namespace finegrain::study
