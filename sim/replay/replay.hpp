// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sim/platform/platform.hpp"
#include "traces/schedule.hpp"

namespace finegrain {

struct ReplayOptions {
  /// Iterations are simulated until they repeat, the rest is arithmetic; 0 simulates every one.
  double repeat_tolerance =
      1e-6;  ///< largest relative change of any rank's iteration time that counts as a repeat
};

/// Simulated seconds of one rank over all iterations.
struct RankReplay {
  double finish_s = 0;
  std::vector<double> phases_s;  ///< shape [phases of its iteration]
};

struct ReplayResult {
  double total_s = 0;                     ///< when the last rank finishes
  std::int64_t simulated_iterations = 0;  ///< of run.iterations; the others repeat them
  std::int64_t flows = 0;                 ///< messages that went through SimGrid's network model
  std::vector<RankReplay> ranks;          ///< shape [run.ranks]
};

/// The network model of every replay, as it is stated in outputs.
std::string_view network_model();

/// Replays a schedule on a platform, in a process of its own (SimGrid's clock does not restart), and waits
/// for it. Rank r runs on the r / ranks_per_node-th host, hosts taken in natural order of their names.
/// @throws InputError if the platform has too few hosts or SimGrid refuses it
ReplayResult replay(const Schedule& schedule, const Platform& platform, const ReplayOptions& options = {});

struct ReplayJob {
  const Schedule* schedule;
  const Platform* platform;
};

/// Replays all jobs, `processes` at a time; results in the order of the jobs, whatever the number of
/// processes.
std::vector<ReplayResult> replay_all(const std::vector<ReplayJob>& jobs, int processes,
                                     const ReplayOptions& options = {});

}  // namespace finegrain
