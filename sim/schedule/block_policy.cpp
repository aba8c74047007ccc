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

std::vector<Body> block_get_bodies(const EllpackView& matrix, const Distribution& distribution) {
  std::vector<Body> ranks(static_cast<std::size_t>(distribution.ranks()));
  std::vector<int> last_user(static_cast<std::size_t>(distribution.blocks()), -1);
  for (int rank = 0; rank < distribution.ranks(); ++rank) {
    Body& body = ranks[static_cast<std::size_t>(rank)];
    body.begin_region(regions::get);
    for (const std::int64_t block : needed_blocks(matrix, distribution, rank, last_user)) {
      body.add(Post{.kind = TransferKind::get,
                    .blocking = true,
                    .private_memory = true,
                    .peer = distribution.owner_of_block(block),
                    .size_bytes = distribution.block_length(block) * double_bytes});
    }
    body.add_region(regions::compute, Work{spmv_compute_bytes(distribution.elements_of(rank), matrix.r_nz)});
    body.add_region(regions::barrier, Collective{});
    body.add_region(regions::barrier, Collective{});
  }
  return ranks;
}

std::vector<Body> block_put_bodies(const EllpackView& matrix, const Distribution& distribution) {
  std::vector<Body> ranks(static_cast<std::size_t>(distribution.ranks()));
  for (int rank = 0; rank < distribution.ranks(); ++rank) {
    ranks[static_cast<std::size_t>(rank)]
        .add_region(regions::compute, Work{spmv_compute_bytes(distribution.elements_of(rank), matrix.r_nz)})
        .add_region(regions::barrier, Collective{})
        .begin_region(regions::put);
  }
  std::vector<int> last_user(static_cast<std::size_t>(distribution.blocks()), -1);
  for (int target = 0; target < distribution.ranks(); ++target) {
    for (const std::int64_t block : needed_blocks(matrix, distribution, target, last_user)) {
      const auto owner = static_cast<std::size_t>(distribution.owner_of_block(block));
      ranks[owner].add(Post{.kind = TransferKind::put,
                            .private_memory = true,
                            .peer = target,
                            .size_bytes = distribution.block_length(block) * double_bytes});
    }
  }
  for (Body& body : ranks)
    body.add_region(regions::wait, Complete::all()).add_region(regions::barrier, Collective{});
  return ranks;
}

}  // namespace finegrain
