// SPDX-License-Identifier: MIT
#pragma once

#include "sim/model/spmv.hpp"

namespace finegrain {

/// Seconds one rank spends packing its outgoing messages: an index and a value read, a value written.
/// Source: eq. (12).
double pack_s(const RankCounts& rank, const Hardware& hardware);

/// The first term of eq. (13) for one rank: its messages to ranks of its node.
double condensed_local_s(const RankCounts& rank, const Hardware& hardware);

/// The second term of eq. (13) for one rank: its messages to other nodes.
/// @throws InputError if there are any and the platform lacks tau or remote_bandwidth
double condensed_remote_s(const RankCounts& rank, const Hardware& hardware);

/// Seconds one rank spends copying its own blocks of x. Source: eq. (14).
double copy_s(const RankCounts& rank, const SpmvCase& spmv);

/// Seconds one rank spends unpacking its incoming messages: an index and a value read, a cache line written.
/// Source: eq. (15).
double unpack_s(const RankCounts& rank, const Hardware& hardware);

/// UPCv3 (Listing 5): the slowest node up to the barrier, then the slowest rank. Source: eqs. (12) to (15),
/// (18). Eq. (13) is charged to `put`, or to `wait` where the puts are only started there. For two-sided MPI
/// the equations stay as they are (the same volumes, the same messages) and eq. (13) is charged to `wait`,
/// where a rank waits for its messages to be complete. Overlap is not in the equations: the total is that of
/// the same messages not overlapped.
Prediction predict_condensed(const SpmvCase& spmv);

}  // namespace finegrain
