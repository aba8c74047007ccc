// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>

#include "sim/collectives/algorithm.hpp"
#include "traces/programs.hpp"

namespace finegrain::collectives {

/// A collective operation of a program, as one rank of the run sees it.
struct RankCall {
  Call call;                            ///< its sizes are those of the body
  std::span<const std::int32_t> ranks;  ///< the communicator's, in its order; empty: all of the run
};

/// @throws InputError if the rank is not in the communicator
RankCall rank_call(const Collective& collective, const Body& body, const Programs& programs, int rank);

}  // namespace finegrain::collectives
