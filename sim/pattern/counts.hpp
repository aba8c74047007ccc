// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/problem/ellpack.hpp"
#include "sim/pattern/layout.hpp"
#include "sim/pattern/on_threads.hpp"

namespace finegrain::pattern {

/// What one rank needs of one other rank's x.
struct PeerCounts {
  std::int32_t peer = 0;
  std::int64_t accesses = 0;      ///< entries of J that point at the peer's elements, each time counted
  std::int64_t values = 0;        ///< distinct elements among them
  std::int64_t blocks = 0;        ///< distinct blocks among them
  std::int64_t block_values = 0;  ///< elements in those blocks, the partial last block counted as it is
  /// The part of `values` that counts for the reader's node, if the peer is on another node. An element that
  /// several ranks of the node need counts at only one of them, so the sum over the node's ranks is what the
  /// node needs, each element once. 0 where the layout names no nodes (Layout::ranks_per_node).
  std::int64_t node_values = 0;
  // If the policy counts on its own (Policy::add_counts()): what the rank fetches from the peer.
  std::int64_t fetches = 0;  ///< messages
  std::int64_t fetched_bytes = 0;

  friend bool operator==(const PeerCounts&, const PeerCounts&) = default;
};

/// The paper's counts of one rank (sections 5.2.3 to 5.2.5). "local": the other rank is on the same node;
/// "remote": on another. A rank's own elements count as neither, but its own blocks count in blocks_local
/// (Listing 4 copies them), and in blocks_out_local.
struct RankCounts {
  std::int64_t rows = 0;                 ///< elements that the rank owns
  std::int64_t interior_rows = 0;        ///< rows that read no other rank's element
  std::int64_t blocks = 0;               ///< B_comp, eq. (5)
  std::int64_t accesses_local = 0;       ///< C_local,indv
  std::int64_t accesses_remote = 0;      ///< C_remote,indv
  std::int64_t blocks_local = 0;         ///< B_local, the rank's own included
  std::int64_t blocks_remote = 0;        ///< B_remote
  std::int64_t block_values_local = 0;   ///< elements in the B_local blocks
  std::int64_t block_values_remote = 0;  ///< elements in the B_remote blocks
  std::int64_t blocks_out_local = 0;     ///< that ranks of its node need of it, itself included
  std::int64_t blocks_out_remote = 0;    ///< each counted once for every rank that needs it
  std::int64_t block_values_out_local = 0;
  std::int64_t block_values_out_remote = 0;
  std::int64_t values_in_local = 0;    ///< S_local,in: elements, not bytes
  std::int64_t values_in_remote = 0;   ///< S_remote,in
  std::int64_t values_out_local = 0;   ///< S_local,out
  std::int64_t values_out_remote = 0;  ///< S_remote,out
  std::int64_t messages_in_local = 0;
  std::int64_t messages_in_remote = 0;
  std::int64_t messages_out_local = 0;
  std::int64_t messages_out_remote = 0;  ///< C_remote,out
  // If the policy counts on its own: the work of the rank's processor in an iteration.
  std::int64_t inspected_bytes = 0;
  std::int64_t calls = 0;
  std::int64_t steps = 0;         ///< steps of sorting and searching
  std::vector<PeerCounts> needs;  ///< for each other rank whose elements it accesses, in ascending order

  friend bool operator==(const RankCounts&, const RankCounts&) = default;
};

/// Counts of every rank in every layout, from J alone. Shape [layouts][ranks], whatever the order of the
/// layouts and the number of threads.
///
/// J is read once for all layouts. After that, a layout with a larger BLOCKSIZE takes less work, and least if
/// the BLOCKSIZEs divide one another. A BLOCKSIZE that divides none of the others makes all larger ones a
/// little slower.
/// @pre distribution.size() == matrix.rows, placement.ranks() == distribution.ranks(), threads >= 1
std::vector<std::vector<RankCounts>> count_accesses(const problem::EllpackView& matrix,
                                                    std::span<const Layout> layouts,
                                                    int threads = all_cores());

/// The same for one layout. Shape [ranks].
std::vector<RankCounts> count_accesses(const problem::EllpackView& matrix, const Layout& layout);

/// Counts again what is local and what is remote, after the same ranks were placed on other nodes.
void place(std::vector<RankCounts>& counts, const problem::Placement& placement);

}  // namespace finegrain::pattern
