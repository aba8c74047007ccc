// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>

#include "kernels/problem/heat_grid.hpp"
#include "kernels/problem/placement.hpp"
#include "sim/model/hardware.hpp"
#include "sim/model/prediction.hpp"

namespace finegrain {

/// What one rank gets from its neighbours in one halo exchange, in elements. "local": the neighbour is on the
/// same node; "remote": on another.
struct HaloCounts {
  std::int64_t horizontal_values = 0;  ///< S_local,horiz + S_remote,horiz: left and right, packed
  std::int64_t values_local = 0;       ///< S_local, from all four sides
  std::int64_t values_remote = 0;      ///< S_remote
  std::int64_t messages_remote = 0;    ///< C_remote
};

/// Source: section 8.1.2 (Listing 7).
HaloCounts count_halo(int rank, const HeatGrid& grid, const Placement& placement);

/// Seconds one rank packs, and again unpacks: an element and a cache line each. Source: eq. (19).
double halo_pack_s(const HaloCounts& rank, const Hardware& hardware);

/// The term of one rank in the maximum of eq. (20). as_printed: an element is loaded and stored, 2 * 8 bytes;
/// as_published: 8 bytes.
double halo_local_s(const HaloCounts& rank, const Hardware& hardware, ClosedForm form);

/// The term of one rank in the sum of eq. (20).
/// @throws InputError if it has remote messages and the platform lacks tau or remote_bandwidth
double halo_remote_s(const HaloCounts& rank, const Hardware& hardware);

/// The remote part of eq. (20) for the ranks of one node, as_published: ranks * max(S_remote) * 8 / W_remote
/// + max(C_remote) * tau, where eq. (20) prints the sum of both over the ranks.
double published_remote_s(std::span<const HaloCounts> ranks, const Hardware& hardware);

/// Seconds one rank updates so many points, three doubles of traffic each. Source: eq. (22).
double heat_compute_s(std::int64_t points, const Hardware& hardware);

/// Seconds one rank copies its new temperatures over the old ones, two doubles of traffic a point. The
/// paper's equations leave out this end of Listing 8.
double heat_copy_s(std::int64_t points, const Hardware& hardware);

}  // namespace finegrain
