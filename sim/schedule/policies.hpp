// SPDX-License-Identifier: MIT
#pragma once

#include "kernels/problem/distribution.hpp"
#include "kernels/problem/ellpack.hpp"
#include "kernels/problem/heat_grid.hpp"
#include "traces/schedule.hpp"

namespace finegrain {

/// The schedule of one SpMV policy, from J alone.
/// One-sided phase lists: individual: compute (gets inside), barrier, barrier. block: get, compute, barrier,
/// barrier. condensed: pack, put, barrier, copy, unpack, compute, barrier, barrier (the last two fence the
/// swap of x and y). Two-sided (condensed only): receive, pack, send, copy, wait, unpack, compute. Messages
/// of a phase are in ascending order of peer (block: of block; individual: of access, equal neighbours merged
/// into one message with a repeat count).
/// @pre run.problem is an SpmvProblem whose rows, r_nz and block_size match `matrix`
/// @throws InputError if the policy has no two-sided form, or the distribution is impossible
Schedule spmv_schedule(const EllpackView& matrix, const Run& run);

/// The schedule of the 2D heat solver's halo exchange (Listings 7 and 8).
/// One-sided: pack, barrier, get, unpack, compute, barrier. Two-sided: receive, pack, send, wait, unpack,
/// compute. Messages in the order left, right, up, down.
/// @pre run.problem is a HeatProblem with mprocs * nprocs == run.ranks
/// @throws InputError if the grid cannot be cut so, or the policy is not condensed
Schedule heat_schedule(const Run& run);

}  // namespace finegrain
