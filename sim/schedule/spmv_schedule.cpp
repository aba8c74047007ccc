// SPDX-License-Identifier: MIT
#include <cassert>

#include "sim/schedule/layout.hpp"
#include "sim/schedule/policies.hpp"
#include "sim/schedule/programs.hpp"
#include "sim/schedule/spmv_policies.hpp"

namespace finegrain {

Schedule spmv_schedule(const EllpackView& matrix, const Run& run) {
  check_program(run);
  if (run.policy != Policy::condensed) return spmv_schedule(matrix, run, {});
  return spmv_schedule(matrix, run, count_accesses(matrix, layout_of(run)));
}

Schedule spmv_schedule(const EllpackView& matrix, const Run& run, std::span<const RankCounts> counts) {
  [[maybe_unused]] const auto& problem = std::get<SpmvProblem>(run.problem);
  assert(problem.rows == matrix.rows && problem.r_nz == matrix.r_nz);
  check_program(run);
  const Distribution distribution = layout_of(run).distribution;
  switch (run.policy) {
    case Policy::naive:
    case Policy::individual:
      return {run, individual_bodies(matrix, distribution)};
    case Policy::block:
      return {run, run.transfer == Transfer::get ? block_get_bodies(matrix, distribution)
                                                 : block_put_bodies(matrix, distribution)};
    case Policy::condensed:
      break;
  }
  return {run, run.transfer == Transfer::put ? condensed_put_bodies(counts, matrix.r_nz, run.completion)
                                             : condensed_send_bodies(counts, matrix.r_nz, run.completion)};
}

}  // namespace finegrain
