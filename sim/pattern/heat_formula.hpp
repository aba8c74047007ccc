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

/// @param only_of  none: of all neighbours; else of this one. Source: section 8.1.2 (Listing 7).
HaloCounts count_halo(int rank, const problem::HeatGrid& grid, const problem::Placement& placement,
                      std::optional<int> only_of = {});

/// Eqs. (19) to (22). as_printed, an element is loaded and stored in eq. (20), 2 * 8 bytes, and the remote
/// part is the sum of its ranks'; as_published, 8 bytes, and ranks * max(S_remote) * 8 / W_remote +
/// max(C_remote)
/// * tau. Where the update copies, two doubles of traffic a point more, which the paper's equations leave
/// out. Overlap is not in the equations: the total is that of the same messages not overlapped.
/// @pre run.problem is of pattern "heat", with mprocs * nprocs == run.ranks
model::Formula heat_formula(const Run& run, model::ClosedForm form, const problem::Placement& placement);

/// Of one rank, that exchanged with one other what these two exchange, and did nothing else.
model::Formula heat_formula_between(const Run& run, model::ClosedForm form,
                                    const problem::Placement& placement, int rank, int peer);

}  // namespace finegrain::pattern
