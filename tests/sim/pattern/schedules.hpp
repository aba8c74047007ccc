// SPDX-License-Identifier: MIT
#pragma once

#include <span>

#include "kernels/problem/heat_problem.hpp"
#include "kernels/problem/spmv_problem.hpp"
#include "sim/pattern/spmv_pattern.hpp"
#include "sim/policy/policy.hpp"

namespace finegrain {

inline Schedule spmv_schedule(const problem::EllpackView& matrix, const Run& run,
                              std::span<const pattern::RankCounts> counts = {}) {
  return policy::make_schedule(*pattern::spmv_of(matrix), run, counts);
}

inline Schedule heat_schedule(const Run& run) {
  return policy::make_schedule(*pattern::pattern_kind(run).open_recorded(run, "", ""), run);
}

}  // namespace finegrain
