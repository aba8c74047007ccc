// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "kernels/micro/rank_pairs.hpp"

namespace finegrain::micro {

/// The length, to the byte, of the longest message between the two ranks of a pair that MPI_Send sends before
/// its receive is posted. The receiver comes late, and a send that waits for it is a rendezvous. Both ranks
/// call this function.
/// @returns none if even the longest message that is tried does not wait; 0 if even the shortest does
std::optional<std::int64_t> eager_limit_bytes(const kernels::MpiSession& mpi, const RankPair& pair);

/// Seconds from the start of an MPI_Send whose receive is posted: until it returns, and until the receiver's
/// answer of no bytes is back. If it returns much earlier, the sender did not wait until its bytes had left.
struct TimedSends {
  std::vector<double> returned_s;  ///< in the order of the sends; rank 0 only
  std::vector<double> answered_s;
};

/// Both ranks of the pair call this function.
TimedSends time_sends(const kernels::MpiSession& mpi, const RankPair& pair, std::int64_t size_bytes);

}  // namespace finegrain::micro
