// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "sim/study/answer.hpp"
#include "sim/study/points.hpp"

namespace finegrain::study {

/// Layouts (ranks and BLOCKSIZE) to count in each matrix, summed over the matrices.
std::size_t layouts_to_count(const std::vector<const StudyPoint*>& points, const StudyInputs& inputs);

/// The closed form of every point, as_published. Layouts of one matrix are counted together; points with
/// the same ranks and BLOCKSIZE share their counts, and `finished` gets them together.
/// @param points  all feasible
void compute_closed_forms(const std::vector<const StudyPoint*>& points, const StudyInputs& inputs,
                          const std::function<void(const std::vector<const StudyPoint*>& group,
                                                   const std::vector<Answer>& answers)>& finished);

}  // namespace finegrain::study
