// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "traces/formats/otf2_collectives.hpp"

namespace finegrain::formats {

/// Collectives for which an archive does not say whether they are in place (MPI_IN_PLACE).
struct UnknownInPlace {
  std::int64_t taken_in_place = 0;
  std::int64_t taken_otherwise = 0;
};

/// Gives collectives in place the sizes that they have otherwise. Score-P leaves out what a rank in place
/// would send to itself: an allreduce of B bytes on n ranks has sent (n - 1) B instead of n B, and the root
/// of a reduce 0. The first of these can also be an allreduce of (n - 1) B / n bytes. Where both are whole
/// numbers, most others of its kind in the archive decide; where there are none, whether any collective is in
/// place. Source: Score-P, src/adapters/mpi/scorep_mpi_coll.inc.c. Of sizes that are of arguments, only roots
/// in place are known: their own argument is 0.
/// @pre fill_sizes()
UnknownInPlace settle_in_place(std::span<RankCalls> ranks, std::span<const Communicator> communicators,
                               std::span<const std::vector<Otf2Collective>> collectives, Otf2Sizes sizes);

}  // namespace finegrain::formats
