// SPDX-License-Identifier: MIT
#include <algorithm>
#include <utility>

#include "sim/schedule/accesses.hpp"
#include "sim/schedule/memory_bytes.hpp"
#include "sim/schedule/spmv_policies.hpp"

namespace finegrain {
namespace {

/// The blocks that `rank` needs, ascending. Its own are all among them: D x reads each of their elements.
/// @param last_user  the rank that was last found to use each block, shape [blocks]
std::vector<std::int64_t> needed_blocks(const EllpackView& matrix, const Distribution& distribution, int rank,
                                        std::vector<int>& last_user) {
  std::vector<std::int64_t> needed;
  for (std::int64_t own = rank; own < distribution.blocks(); own += distribution.ranks())
    needed.push_back(own);
  for_each_foreign_access(matrix, distribution, rank, [&](const ForeignAccess& access) {
    if (std::exchange(last_user[access.block], rank) != rank) needed.push_back(access.block);
  });
  std::sort(needed.begin(), needed.end());
  return needed;
}

}  // namespace

std::vector<Iteration> block_get_iterations(const EllpackView& matrix, const Distribution& distribution) {
  std::vector<Iteration> ranks(static_cast<std::size_t>(distribution.ranks()));
  std::vector<int> last_user(static_cast<std::size_t>(distribution.blocks()), -1);
  for (int rank = 0; rank < distribution.ranks(); ++rank) {
    Iteration& iteration = ranks[static_cast<std::size_t>(rank)];
    iteration.begin_phase(PhaseKind::get);
    for (const std::int64_t block : needed_blocks(matrix, distribution, rank, last_user)) {
      iteration.add({MessageKind::get, distribution.owner_of_block(block),
                     distribution.block_length(block) * double_bytes});
    }
    iteration.begin_phase(PhaseKind::compute,
                          spmv_compute_bytes(distribution.elements_of(rank), matrix.r_nz));
    iteration.begin_phase(PhaseKind::barrier);
    iteration.begin_phase(PhaseKind::barrier);
  }
  return ranks;
}

std::vector<Iteration> block_put_iterations(const EllpackView& matrix, const Distribution& distribution) {
  std::vector<Iteration> ranks(static_cast<std::size_t>(distribution.ranks()));
  for (int rank = 0; rank < distribution.ranks(); ++rank) {
    Iteration& iteration = ranks[static_cast<std::size_t>(rank)];
    iteration.begin_phase(PhaseKind::compute,
                          spmv_compute_bytes(distribution.elements_of(rank), matrix.r_nz));
    iteration.begin_phase(PhaseKind::barrier);
    iteration.begin_phase(PhaseKind::put);
  }
  std::vector<int> last_user(static_cast<std::size_t>(distribution.blocks()), -1);
  for (int target = 0; target < distribution.ranks(); ++target) {
    for (const std::int64_t block : needed_blocks(matrix, distribution, target, last_user)) {
      const auto owner = static_cast<std::size_t>(distribution.owner_of_block(block));
      ranks[owner].add({MessageKind::put, target, distribution.block_length(block) * double_bytes});
    }
  }
  for (Iteration& iteration : ranks) {
    iteration.begin_phase(PhaseKind::wait);
    iteration.begin_phase(PhaseKind::barrier);
  }
  return ranks;
}

}  // namespace finegrain
