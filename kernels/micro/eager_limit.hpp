// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>

#include "kernels/micro/rank_pairs.hpp"

namespace finegrain::micro {

/// The length, to the byte, of the longest message between the two ranks of a pair that MPI_Send sends before
/// its receive is posted. The receiver comes late, and a send that waits for it is a rendezvous. Both ranks
/// call this function.
/// @returns none if even the longest message that is tried does not wait; 0 if even the shortest does
std::optional<std::int64_t> eager_limit_bytes(const kernels::MpiSession& mpi, const RankPair& pair);

}  // namespace finegrain::micro
