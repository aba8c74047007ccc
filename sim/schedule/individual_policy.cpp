// SPDX-License-Identifier: MIT
#include "sim/schedule/accesses.hpp"
#include "sim/schedule/memory_bytes.hpp"
#include "sim/schedule/spmv_policies.hpp"

namespace finegrain {

std::vector<Body> individual_bodies(const EllpackView& matrix, const Distribution& distribution) {
  std::vector<Body> ranks(static_cast<std::size_t>(distribution.ranks()));
  for (int rank = 0; rank < distribution.ranks(); ++rank) {
    Body& body = ranks[static_cast<std::size_t>(rank)];
    body.add_region(regions::compute, Work{spmv_compute_bytes(distribution.elements_of(rank), matrix.r_nz)});
    for_each_foreign_access(matrix, distribution, rank, [&](const ForeignAccess& access) {
      auto* last = std::get_if<Post>(&body.operations.back());
      if (last != nullptr && last->peer == access.owner) {
        ++last->repeat;
      } else {
        body.add(Post{.kind = TransferKind::load,
                      .blocking = true,
                      .private_memory = true,
                      .peer = access.owner,
                      .size_bytes = double_bytes});
      }
    });
    body.add_region(regions::barrier, Collective{});
    body.add_region(regions::barrier, Collective{});
  }
  return ranks;
}

}  // namespace finegrain
