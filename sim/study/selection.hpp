// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <vector>

#include "sim/study/points.hpp"

namespace finegrain::study {

/// The points that are to be simulated, in their order. Infeasible points are left out. Kind::best takes, for
/// each combination of values of the axes `of_each`, the `best` points with the least closed form (of equals
/// the first). It also takes the corners of the grid: the points with the first or the last value on every
/// axis.
/// @param closed_form_s  shape [points]; none for a point without a closed form
std::vector<const StudyPoint*> points_to_simulate(const StudyFile& study,
                                                  const std::vector<StudyPoint>& points,
                                                  const std::vector<std::optional<double>>& closed_form_s);

}  // namespace finegrain::study
