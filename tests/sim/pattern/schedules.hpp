// SPDX-License-Identifier: MIT
#pragma once

#include <span>

#include "kernels/problem/heat_problem.hpp"
#include "kernels/problem/spmv_problem.hpp"
#include "patterns.hpp"
#include "sim/pattern/spmv_pattern.hpp"
#include "sim/policy/policy.hpp"

namespace finegrain {

inline Schedule spmv_schedule(const problem::EllpackView& matrix, const Run& run,
                              std::span<const pattern::RankCounts> counts = {}) {
  return policy::make_schedule(*pattern::spmv_of(matrix), run, counts);
}

/// Two ranks a node.
inline Schedule spmv_schedule(const test::MatrixPattern& pattern, int ranks, std::int64_t block_size,
                              const policy::Variant& program) {
  Run run;
  run.problem = problem::SpmvProblem{"test.fgm", "0", pattern.rows, pattern.r_nz, block_size};
  run.policy = program.policy;
  run.transfer = program.transfer;
  run.completion = program.completion;
  run.ranks = ranks;
  run.ranks_per_node = 2;
  return spmv_schedule(pattern.view(), run);
}

inline Schedule heat_schedule(const Run& run) {
  return policy::make_schedule(*pattern::pattern_kind(run).open_recorded(run, "", ""), run);
}

}  // namespace finegrain
