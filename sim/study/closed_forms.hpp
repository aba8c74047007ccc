// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <vector>

#include "sim/study/answer.hpp"
#include "sim/study/points.hpp"

namespace finegrain {

/// The closed form of every point, as_published. Points that are laid out alike share their counts, and come
/// together: `finished` gets them in such groups.
/// @param points  all feasible
void compute_closed_forms(const std::vector<const Point*>& points, const StudyInputs& inputs,
                          const std::function<void(const std::vector<const Point*>& group,
                                                   const std::vector<Answer>& answers)>& finished);

}  // namespace finegrain
