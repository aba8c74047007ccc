// SPDX-License-Identifier: MIT
#pragma once

#include <span>

#include "kernels/problem/heat_problem.hpp"
#include "kernels/problem/spmv_problem.hpp"
#include "sim/pattern/spmv_pattern.hpp"
#include "sim/policy/policy.hpp"

namespace finegrain {

inline Schedule spmv_schedule(const EllpackView& matrix, const Run& run,
                              std::span<const RankCounts> counts = {}) {
  return make_schedule(*spmv_of(matrix), run, counts);
}

inline Schedule heat_schedule(const Run& run) {
  return make_schedule(*pattern_kind(run).open_recorded(run, "", ""), run);
}

}  // namespace finegrain
