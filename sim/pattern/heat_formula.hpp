// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "kernels/problem/heat_grid.hpp"
#include "sim/model/formula.hpp"
#include "traces/run.hpp"

namespace finegrain::pattern {

/// @pre problem.pattern is "heat"
problem::HeatGrid grid_of(const Problem& problem);

/// What one rank gets from its neighbours in one halo exchange, in elements. "local": the neighbour is on the
/// same node; "remote": on another.
struct HaloCounts {
  std::int64_t horizontal_values = 0;  ///< S_local,horiz + S_remote,horiz: left and right, packed
  std::int64_t values_local = 0;       ///< S_local, from all four sides
  std::int64_t values_remote = 0;      ///< S_remote
  std::int64_t messages_remote = 0;    ///< C_remote
};

/// @param only_of  count only what this neighbour sends; none: all neighbours. Source: section 8.1.2 (Listing
/// 7).
HaloCounts count_halo(int rank, const problem::HeatGrid& grid, const problem::Placement& placement,
                      std::optional<int> only_of = {});

/// Eqs. (19) to (22). In eq. (20) as_printed, a local element costs 2 * 8 bytes, since it is loaded and
/// stored, and a node's remote part is the sum over its ranks; as_published, an element costs 8 bytes, and
/// the remote part is ranks * max(S_remote) * 8 / W_remote + max(C_remote) * tau. If the update copies, each
/// point costs two more doubles of traffic, which the paper's equations leave out. Overlap is not in the
/// equations: the total is that of the same messages not overlapped.
/// @pre run.problem is of pattern "heat", with mprocs * nprocs == run.ranks
model::Formula heat_formula(const Run& run, model::ClosedForm form, const problem::Placement& placement);

/// The formula of one rank that only exchanges with `peer` what these two exchange.
model::Formula heat_formula_between(const Run& run, model::ClosedForm form,
                                    const problem::Placement& placement, int rank, int peer);

}  // namespace finegrain::pattern
