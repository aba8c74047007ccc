// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <cassert>

#include "kernels/problem/placement.hpp"
#include "sim/schedule/policies.hpp"
#include "sim/schedule/spmv_policies.hpp"
#include "traces/io/input_error.hpp"

namespace finegrain {

Schedule spmv_schedule(const EllpackView& matrix, const Run& run) {
  const auto& problem = std::get<SpmvProblem>(run.problem);
  assert(problem.rows == matrix.rows && problem.r_nz == matrix.r_nz);
  if (run.policy != Policy::condensed && run.sides == Sides::two_sided) {
    throw InputError(
        fmt::format("policy: {} has no two-sided form (a rank fetches what it needs with gets). Use "
                    "one-sided, or policy condensed",
                    to_string(run.policy)));
  }
  const Distribution distribution(matrix.rows, run.ranks, problem.block_size);
  const Placement placement(run.ranks, run.ranks_per_node);
  switch (run.policy) {
    case Policy::individual:
      return {run, individual_iterations(matrix, distribution)};
    case Policy::block:
      return {run, block_iterations(matrix, distribution)};
    case Policy::condensed:
      break;
  }
  return {run, run.sides == Sides::one_sided ? condensed_put_iterations(matrix, distribution, placement)
                                             : condensed_send_iterations(matrix, distribution, placement)};
}

}  // namespace finegrain
