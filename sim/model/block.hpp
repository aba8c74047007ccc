// SPDX-License-Identifier: MIT
#pragma once

#include "sim/model/spmv.hpp"

namespace finegrain {

/// The first term of eq. (11) for one rank: its B_local blocks, its own among them, are loaded and stored.
/// as_printed counts BLOCKSIZE elements a block, as_published those that the block has. With puts, of which
/// the paper has none: the blocks that the rank puts, where eq. (11) has those that it gets.
double block_local_s(const RankCounts& rank, const SpmvCase& spmv);

/// The second term of eq. (11) for one rank: its B_remote blocks, one get each; with puts, one put each.
/// @throws InputError if there are any and the platform lacks tau or remote_bandwidth
double block_remote_s(const RankCounts& rank, const SpmvCase& spmv);

/// UPCv2 (Listing 4): the slowest node decides. Eq. (11) is charged to `get`; with puts, to the `wait` that
/// follows them. Source: eqs. (7), (11), (17).
Prediction predict_block(const SpmvCase& spmv);

}  // namespace finegrain
