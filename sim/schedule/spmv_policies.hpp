// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <vector>

#include "kernels/problem/distribution.hpp"
#include "kernels/problem/ellpack.hpp"
#include "sim/schedule/counts.hpp"
#include "traces/operation.hpp"
#include "traces/run.hpp"

namespace finegrain {

// What every rank does in an iteration under each policy, shape [ranks]; spmv_schedule() chooses among them.

/// UPCv1, Listing 3: every access of another rank's element is a get of its own. Listing 2 (naive) accesses
/// the same elements in the same order.
std::vector<Body> individual_bodies(const EllpackView& matrix, const Distribution& distribution);

/// UPCv2, Listing 4: every block that has an element which the rank needs, its own blocks included, is
/// fetched whole.
std::vector<Body> block_get_bodies(const EllpackView& matrix, const Distribution& distribution);
/// The same blocks put by their owners, once they are computed: Listing 4 of Lagravière's thesis, Paper III.
std::vector<Body> block_put_bodies(const EllpackView& matrix, const Distribution& distribution);

/// UPCv3, Listing 5: each distinct value that a rank needs of another comes in the one message between them.
std::vector<Body> condensed_put_bodies(std::span<const RankCounts> counts, int r_nz, Completion completion);
/// The same messages sent and received, as MPI does.
std::vector<Body> condensed_send_bodies(std::span<const RankCounts> counts, int r_nz, Completion completion);

}  // namespace finegrain
