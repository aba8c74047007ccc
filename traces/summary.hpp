// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "traces/on_rank.hpp"
#include "traces/trace_reader.hpp"

namespace finegrain {

/// One region over all ranks and iterations: regions of the same index and name are one.
struct RegionSummary {
  int index = 0;
  RegionName name = regions::compute;
  std::int64_t times_run = 0;
  double mean_s = 0;
  double longest_s = 0;
  double slowest_rank_mean_s = 0;  ///< mean over iterations, of the rank where it is largest
  std::int64_t messages = 0;       ///< posted, all together
  double message_bytes = 0;        ///< all together, repeats counted
  double memory_bytes = 0;         ///< all together
};

/// Seconds of an iteration, of the rank that takes longest in it; zeros if there is none.
struct IterationTime {
  double median_s = 0;
  double first_decile_s = 0;
  double last_decile_s = 0;
};

struct TraceSummary {
  std::int64_t iterations = 0;  ///< those of the rank that has most
  std::int64_t messages = 0;
  std::uint64_t file_bytes = 0;  ///< the rank files' size
  IterationTime iteration_time;
  /// By index. A recorded program's compute is without the time in which its ranks waited for a core; that is
  /// a region of its own, "waiting for a core", if there is any.
  std::vector<RegionSummary> regions;
  std::vector<std::string> problems;  ///< ranks that could not be read to their end: the reader's errors
};

/// Reads the whole trace; a rank that is damaged or unfinished counts as far as it can be read.
TraceSummary summarize(const Trace& trace, const OnRank& on_rank = {});

}  // namespace finegrain
