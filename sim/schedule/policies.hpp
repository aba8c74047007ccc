// SPDX-License-Identifier: MIT
#pragma once

#include <span>

#include "kernels/problem/distribution.hpp"
#include "kernels/problem/ellpack.hpp"
#include "kernels/problem/heat_grid.hpp"
#include "sim/schedule/counts.hpp"
#include "traces/programs.hpp"

namespace finegrain {

/// The schedule of one SpMV policy, from J alone. What exists, and its phases:
///
///     naive, individual  get        each        compute (gets inside), barrier, barrier
///     block              get        each        get, compute, barrier, barrier
///     block              put        together    compute, barrier, put, wait, barrier
///     condensed          put        each        pack, put, barrier, copy, unpack, compute, barrier, barrier
///     condensed          put        together    pack, put, wait, barrier, copy, unpack, compute, barrier,
///                                               barrier
///     condensed          put        overlapped  pack, put, copy, compute, wait, barrier, unpack, compute,
///                                               barrier, barrier
///     condensed          two-sided  together    receive, pack, send, copy, wait, unpack, compute
///     condensed          two-sided  overlapped  receive, pack, send, copy, compute, wait, unpack, compute
///
/// The last two barriers fence the swap of x and y. Of two compute phases, the first is of the rows that read
/// no other rank's element. Messages of a phase are in ascending order of peer; block: gets of block, puts of
/// peer and then block; naive and individual: of access, equal neighbours merged into one message with a
/// repeat count.
/// @pre run.problem is an SpmvProblem whose rows, r_nz and block_size match `matrix`
/// @throws InputError if there is no such program, or the distribution is impossible
Schedule spmv_schedule(const EllpackView& matrix, const Run& run);
/// The same where what count_accesses() counts of the run is known. @param counts  shape [run.ranks]
Schedule spmv_schedule(const EllpackView& matrix, const Run& run, std::span<const RankCounts> counts);

/// The schedule of the 2D heat solver's halo exchange (Listings 7 and 8). What exists, and its phases:
///
///     get        each        pack, barrier, get, unpack, compute, barrier
///     get        together    pack, barrier, get, wait, unpack, compute, barrier
///     get        overlapped  pack, barrier, get, compute, wait, unpack, compute, barrier
///     two-sided  together    receive, pack, send, wait, unpack, compute
///     two-sided  overlapped  receive, pack, send, compute, wait, unpack, compute
///
/// and a `copy` at the end if problem.update is copy. Of two compute phases, the first is of the points whose
/// update reads none of another rank's. Messages in the order left, right, up, down.
/// @pre run.problem is a HeatProblem with mprocs * nprocs == run.ranks
/// @throws InputError if the grid cannot be cut so, or there is no such program
Schedule heat_schedule(const Run& run);

}  // namespace finegrain
