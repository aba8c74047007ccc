// SPDX-License-Identifier: MIT
#include "sim/schedule/accesses.hpp"
#include "sim/schedule/memory_bytes.hpp"
#include "sim/schedule/spmv_policies.hpp"

namespace finegrain {

std::vector<Iteration> individual_iterations(const EllpackView& matrix, const Distribution& distribution) {
  std::vector<Iteration> ranks(static_cast<std::size_t>(distribution.ranks()));
  for (int rank = 0; rank < distribution.ranks(); ++rank) {
    Iteration& iteration = ranks[static_cast<std::size_t>(rank)];
    iteration.begin_phase(PhaseKind::compute,
                          spmv_compute_bytes(distribution.elements_of(rank), matrix.r_nz));
    for_each_foreign_access(matrix, distribution, rank, [&](const ForeignAccess& access) {
      if (!iteration.messages.empty() && iteration.messages.back().peer == access.owner) {
        ++iteration.messages.back().repeat;
      } else {
        iteration.add({MessageKind::get, access.owner, double_bytes});
      }
    });
    iteration.begin_phase(PhaseKind::barrier);
    iteration.begin_phase(PhaseKind::barrier);
  }
  return ranks;
}

}  // namespace finegrain
