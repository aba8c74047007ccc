// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <vector>

#include "sim/study/points.hpp"

namespace finegrain::study {

/// Which points are to be simulated, in order; infeasible ones never. With Kind::best: the points with the
/// least closed form (of equals the first), so many of each combination of values of `of_each`, and the
/// corners of the grid, which have the first or the last value of every axis.
/// @param closed_form_s  of every point, none where there is none; shape [points]
std::vector<const StudyPoint*> points_to_simulate(const StudyFile& study,
                                                  const std::vector<StudyPoint>& points,
                                                  const std::vector<std::optional<double>>& closed_form_s);

}  // namespace finegrain::study
