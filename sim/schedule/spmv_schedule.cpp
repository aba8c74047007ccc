// SPDX-License-Identifier: MIT
#include <cassert>

#include "kernels/problem/placement.hpp"
#include "sim/schedule/policies.hpp"
#include "sim/schedule/programs.hpp"
#include "sim/schedule/spmv_policies.hpp"

namespace finegrain {

Schedule spmv_schedule(const EllpackView& matrix, const Run& run) {
  const auto& problem = std::get<SpmvProblem>(run.problem);
  assert(problem.rows == matrix.rows && problem.r_nz == matrix.r_nz);
  check_program(run);
  const Distribution distribution(matrix.rows, run.ranks, problem.block_size);
  const Placement placement(run.ranks, run.ranks_per_node);
  switch (run.policy) {
    case Policy::naive:
    case Policy::individual:
      return {run, individual_iterations(matrix, distribution)};
    case Policy::block:
      return {run, run.transfer == Transfer::get ? block_get_iterations(matrix, distribution)
                                                 : block_put_iterations(matrix, distribution)};
    case Policy::condensed:
      break;
  }
  return {run, run.transfer == Transfer::put
                   ? condensed_put_iterations(matrix, distribution, placement, run.completion)
                   : condensed_send_iterations(matrix, distribution, placement, run.completion)};
}

}  // namespace finegrain
