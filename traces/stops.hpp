// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "traces/trace_reader.hpp"

namespace finegrain {

/// Where a rank was when its recording stopped.
struct Stop {
  int rank = 0;
  std::string function;     ///< the call's; empty if none of the rank's was kept
  bool is_in_call = false;  ///< it had been in the call for some time; else that was its last one
  double since_s = 0;       ///< when the call began, or ended, after the first rank's first call
  std::uint64_t polls = 0;  ///< how often it had called the function in a row and found nothing; 0: once
};

/// The ranks of a program whose files have no end mark: the run was killed, or it still runs.
/// @param name_place  functions are then named with their places
/// @returns ascending
std::vector<Stop> find_stops(const Trace& trace, const std::filesystem::path& path,
                             const NamePlace& name_place = {});

/// "ranks 0-2 in MPI_Recv since 0.012 s; rank 3 after MPI_Send at 0.013 s; nothing of rank 4 was kept". Of
/// ranks in the same function, the time is the first one's. Empty for none.
std::string describe(const std::vector<Stop>& stops);

}  // namespace finegrain
