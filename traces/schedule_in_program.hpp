// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "traces/diff.hpp"
#include "traces/on_rank.hpp"
#include "traces/programs.hpp"

namespace finegrain {

/// Iterations of a schedule, found in a recorded program.
struct ScheduleInProgram {
  std::int64_t iterations = 0;  ///< in a row, on the rank that has most of them
  std::int64_t transfers = 0;   ///< those in these iterations, of all ranks
  // What else the program has, which is not compared.
  std::int64_t other_transfers = 0;
  std::int64_t collectives = 0;
  /// Each rank that has fewer iterations in a row: how many; or if it has none, where its longest part of
  /// one ends (Difference::position: of the transfer in the iteration).
  TraceDiff diff;
};

/// Looks on each rank for iterations of the schedule that follow one another: all their transfers, in order
/// and with no other between them: kind, peer and bytes. What a rank does before and after them is not
/// compared, nor are collective operations, tags, waits, a rank's copies to itself, and the bytes of
/// receives, for which a program may have more room.
/// @throws InputError if the schedule transfers nothing, or a program cannot be read
ScheduleInProgram find_schedule(const Programs& program, const Schedule& schedule,
                                const OnRank& on_rank = {});

}  // namespace finegrain
