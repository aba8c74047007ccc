// SPDX-License-Identifier: MIT
#pragma once

#include "sim/model/closed_form.hpp"

namespace finegrain {

/// D_comp: the least bytes from and to memory for one y(i), with perfect reuse in the cache. Source: eq. (6).
double row_traffic_bytes(int r_nz);

/// UPCv1 (Listing 3): the slowest rank decides, eqs. (7), (10), (16). All of it is charged to `compute`,
/// where the listing does its accesses.
///
/// UPCv2 (Listing 4): the slowest node decides, eqs. (7), (11), (17). Eq. (11) is charged to `get`; with
/// puts, of which the paper has none, to the `wait` that follows them, and its blocks are those that the rank
/// puts.
///
/// UPCv3 (Listing 5): the slowest node up to the barrier, then the slowest rank, eqs. (12) to (15), (18). Eq.
/// (13) is charged to `put`, or to `wait` where the puts are only started there. For two-sided MPI the
/// equations stay as they are (the same volumes, the same messages) and eq. (13) is charged to `wait`, where
/// a rank waits for its messages to be complete. Overlap is not in the equations: the total is that of the
/// same messages not overlapped.
///
/// as_printed counts BLOCKSIZE elements a block, also of the partial last one; as_published those that it
/// has.
/// @pre run.problem is an SpmvProblem, run.policy is not naive
Formula spmv_formula(const Run& run, std::span<const RankCounts> counts, ClosedForm form);

/// Of a rank that exchanged with one other what these two exchange, and nothing else.
/// @param counts  of every rank, with their needs
RankCounts counts_between(std::span<const RankCounts> counts, const Placement& placement, int rank, int peer);

}  // namespace finegrain
