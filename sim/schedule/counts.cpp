// SPDX-License-Identifier: MIT
#include "sim/schedule/counts.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

#include "sim/schedule/accesses.hpp"

namespace finegrain {
namespace {

/// Memory that counting one rank after the other reuses. A stamp says which pass met an element or a block
/// last; every pass has a stamp of its own, so nothing is cleared in between.
struct Scratch {
  std::vector<std::int32_t> element_stamps;  ///< shape [n]
  std::vector<std::int32_t> block_stamps;    ///< shape [blocks]
  std::vector<PeerCounts> peers;             ///< shape [ranks]; all zero between passes
  std::vector<std::int32_t> touched;         ///< the peers that are not zero
  std::int32_t stamp = 0;

  explicit Scratch(const Distribution& distribution)
      : element_stamps(static_cast<std::size_t>(distribution.size())),
        block_stamps(static_cast<std::size_t>(distribution.blocks())),
        peers(static_cast<std::size_t>(distribution.ranks())) {}
};

/// What one rank needs of the others.
struct Needs {
  std::int64_t boundary_rows = 0;  ///< rows that read another rank's element
  std::vector<PeerCounts> peers;   ///< in ascending order
};

Needs count_needs(const EllpackView& matrix, const Distribution& distribution, int rank, Scratch& scratch) {
  Needs needs;
  const std::int32_t stamp = ++scratch.stamp;
  const auto r_nz = static_cast<std::size_t>(matrix.r_nz);
  std::size_t end_of_row = 0;
  for_each_foreign_access(matrix, distribution, rank, [&](const ForeignAccess& access) {
    if (access.entry >= end_of_row) {  // entries ascend
      ++needs.boundary_rows;
      end_of_row = (access.entry / r_nz + 1) * r_nz;
    }
    PeerCounts& peer = scratch.peers[static_cast<std::size_t>(access.owner)];
    if (peer.accesses++ == 0) scratch.touched.push_back(access.owner);
    peer.values += std::exchange(scratch.element_stamps[access.element], stamp) != stamp ? 1 : 0;
    if (std::exchange(scratch.block_stamps[access.block], stamp) == stamp) return;
    ++peer.blocks;
    peer.block_values += distribution.block_length(access.block);
  });
  std::sort(scratch.touched.begin(), scratch.touched.end());
  needs.peers.reserve(scratch.touched.size());
  for (const std::int32_t peer : scratch.touched) {
    needs.peers.push_back(std::exchange(scratch.peers[static_cast<std::size_t>(peer)], {}));
    needs.peers.back().peer = peer;
  }
  scratch.touched.clear();
  return needs;
}

void add_incoming(RankCounts& rank, const PeerCounts& need, bool local) {
  (local ? rank.accesses_local : rank.accesses_remote) += need.accesses;
  (local ? rank.blocks_local : rank.blocks_remote) += need.blocks;
  (local ? rank.block_values_local : rank.block_values_remote) += need.block_values;
  (local ? rank.values_in_local : rank.values_in_remote) += need.values;
  (local ? rank.messages_in_local : rank.messages_in_remote) += 1;
}

void add_outgoing(RankCounts& rank, const PeerCounts& need, bool local) {
  (local ? rank.blocks_out_local : rank.blocks_out_remote) += need.blocks;
  (local ? rank.block_values_out_local : rank.block_values_out_remote) += need.block_values;
  (local ? rank.values_out_local : rank.values_out_remote) += need.values;
  (local ? rank.messages_out_local : rank.messages_out_remote) += 1;
}

}  // namespace

std::vector<RankCounts> count_accesses(const EllpackView& matrix, const Distribution& distribution,
                                       const Placement& placement) {
  assert(distribution.size() == matrix.rows && placement.ranks() == distribution.ranks());
  Scratch scratch(distribution);
  std::vector<RankCounts> counts(static_cast<std::size_t>(distribution.ranks()));
  for (int rank = 0; rank < distribution.ranks(); ++rank) {
    RankCounts& own = counts[static_cast<std::size_t>(rank)];
    own.rows = distribution.elements_of(rank);
    own.blocks = distribution.blocks_of(rank);
    own.block_values_local += own.rows;
    own.block_values_out_local += own.rows;
    own.blocks_local += own.blocks;
    own.blocks_out_local += own.blocks;
    Needs needs = count_needs(matrix, distribution, rank, scratch);
    own.interior_rows = own.rows - needs.boundary_rows;
    own.needs = std::move(needs.peers);
    for (const PeerCounts& need : own.needs) {
      const bool local = placement.same_node(rank, need.peer);
      add_incoming(own, need, local);
      add_outgoing(counts[static_cast<std::size_t>(need.peer)], need, local);
    }
  }
  return counts;
}

}  // namespace finegrain
