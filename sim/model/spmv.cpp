// SPDX-License-Identifier: MIT
#include "sim/model/spmv.hpp"

namespace finegrain {

double row_traffic_bytes(int r_nz) {
  return r_nz * (sizeof_double + sizeof_int) + 3 * sizeof_double;
}

double owned_elements(const RankCounts& rank, const SpmvCase& spmv) {
  return static_cast<double>(spmv.form == ClosedForm::as_printed ? rank.blocks * spmv.problem.block_size
                                                                 : rank.rows);
}

double compute_s(const RankCounts& rank, const SpmvCase& spmv) {
  return memory_s(owned_elements(rank, spmv) * row_traffic_bytes(spmv.problem.r_nz), spmv.hardware);
}

double interior_compute_s(const RankCounts& rank, const SpmvCase& spmv) {
  if (rank.rows == 0) return 0;
  return compute_s(rank, spmv) * static_cast<double>(rank.interior_rows) / static_cast<double>(rank.rows);
}

}  // namespace finegrain
