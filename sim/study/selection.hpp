// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <vector>

#include "sim/study/points.hpp"

namespace finegrain::study {

/// Which points are to be simulated, in order. Infeasible points never are. Kind::best takes, for each
/// combination of values of `of_each`, a number of points with the least closed form (of equals the first).
/// It also takes the corners of the grid, which have the first or the last value of every axis.
/// @param closed_form_s  of every point, none where there is none; shape [points]
std::vector<const StudyPoint*> points_to_simulate(const StudyFile& study,
                                                  const std::vector<StudyPoint>& points,
                                                  const std::vector<std::optional<double>>& closed_form_s);

}  // namespace finegrain::study
