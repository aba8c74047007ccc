// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "sim/study/answer.hpp"
#include "sim/study/points.hpp"

namespace finegrain::study {

/// Number of layouts (ranks and BLOCKSIZE) whose accesses have to be counted, summed over the matrices.
std::size_t layouts_to_count(const std::vector<const StudyPoint*>& points, const StudyInputs& inputs);

/// Computes the closed form (as_published) of every point. The layouts of one matrix are counted together.
/// Points with the same ranks and BLOCKSIZE share their counts, and are handed to `finished` together.
/// @param points  all must be feasible
void compute_closed_forms(const std::vector<const StudyPoint*>& points, const StudyInputs& inputs,
                          const std::function<void(const std::vector<const StudyPoint*>& group,
                                                   const std::vector<Answer>& answers)>& finished);

}  // namespace finegrain::study
