// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>

#include "kernels/micro/rank_pairs.hpp"

namespace finegrain::micro {

/// The longest message between the two ranks of a pair that MPI_Send sends off before its receive is posted,
/// to the byte: the receiver comes late, and a send that waits for it is a rendezvous. Both ranks call it.
/// @returns none if the longest that is tried is sent off as well; 0 if the shortest is not
std::optional<std::int64_t> eager_limit_bytes(const kernels::MpiSession& mpi, const RankPair& pair);

}  // namespace finegrain::micro
