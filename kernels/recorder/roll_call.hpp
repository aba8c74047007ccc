// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

namespace finegrain::recorder {

/// What the ranks that have a recorder agree on.
struct RollCall {
  std::vector<int> present;  ///< ranks with a recorder, ascending; without this one, it came too late
  std::string folder;        ///< the trace's, absolute; empty if none can be used. Of a partial roll only

  bool is_complete(int ranks) const { return static_cast<int>(present.size()) == ranks; }
  bool has(int rank) const;
};

/// Before MPI_Init, in which no rank is done before all have begun: says that this rank has a recorder, if
/// the launcher's environment tells which rank this is.
void announce_early();
/// The opposite, for a process that turns out to be no rank of a run.
void withdraw();
/// Whether each rank has a recorder, found out in bounded time. A rank without one would never answer a
/// message and never join a collective call, so the ranks meet in a folder: in shared memory, if the launcher
/// says that all are on one node, else beside the trace. Each puts down a file of its own there, and the
/// first that sees all, or is tired of waiting, puts down the verdict. A file cannot be made twice, so all
/// ranks read the same one.
RollCall call_roll(int rank, int ranks);
/// Removes the folder in which the ranks met, once all have read the verdict.
void end_roll_call(int ranks);

}  // namespace finegrain::recorder
