// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "sim/replay/timeline.hpp"

namespace finegrain::replay {

/// Ranks on the critical path that wait, at one place, for what others do at another place.
struct PathWait {
  std::string place;    ///< a region: of recorded programs a function, or a line of the source
  std::string awaited;  ///< where the others are that are waited for
  std::int32_t longest_awaited_rank = 0;
  std::int64_t awaited_ranks = 0;
  double waited_s = 0;  ///< from when a rank began to wait; where several do at the same time, it counts once

  /// "31 % of the way: MPI_Waitall halo.c:88 waits for MPI_Isend halo.c:141 of rank 7"
  std::string text(double makespan_s) const;
};

/// The waits on a critical path, the longest first. Waits for what no other rank did are left out, such as
/// those for a rank's own put.
/// @param name  the region of a rank, by PathPiece::phase
std::vector<PathWait> path_waits(std::span<const PathPiece> path,
                                 const std::function<std::string(std::int32_t, std::int32_t)>& name);

}  // namespace finegrain::replay
