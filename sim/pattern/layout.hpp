// SPDX-License-Identifier: MIT
#pragma once

#include "kernels/problem/distribution.hpp"
#include "kernels/problem/placement.hpp"
#include "kernels/problem/spmv_problem.hpp"
#include "traces/run.hpp"

namespace finegrain::pattern {

/// Which rank owns what, and where it runs.
struct Layout {
  problem::Distribution distribution;
  problem::Placement placement;
  /// How many consecutive ranks the program takes for a node, wherever they run; 0: it knows no nodes.
  int ranks_per_node = 0;
};

/// The layout of a run with block placement: consecutive ranks fill a node.
/// @pre run.problem is of pattern "spmv"
/// @throws InputError if such a layout is impossible
inline Layout layout_of(const Run& run) {
  const problem::SpmvProblem problem = problem::SpmvProblem::of(run.problem);
  return {problem::Distribution(problem.rows, run.ranks, problem.block_size),
          problem::Placement(run.ranks, run.ranks_per_node), run.ranks_per_node};
}

}  // namespace finegrain::pattern
