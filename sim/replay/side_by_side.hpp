// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sim/replay/replay.hpp"
#include "sim/replay/timeline.hpp"

namespace finegrain::replay {

/// One of several programs that run on a machine at the same time.
struct SharedJob {
  ReplayJob job;           ///< its ranks are placed by `nodes`, whatever its placement says
  std::vector<int> nodes;  ///< hosts of the platform, in natural order of their names, counted from 0
  double start_s = 0;      ///< when its ranks begin
};

/// The host of each rank: nodes hold consecutive ranks. If the ranks do not divide evenly, the first
/// nodes hold one more.
/// @pre no more nodes than ranks
std::vector<int> hosts_of_ranks(const SharedJob& job);

/// When a job's last rank is done, since its start.
struct SharedJobTimes {
  double alone_s = 0;     ///< on the same nodes
  double together_s = 0;  ///< with the others on theirs
  /// It receives from any source, and takes what it took in the recording: alone too, because beside another
  /// such job a simulation keeps the recorded order.
  bool keeps_tasks = false;

  /// How many times longer it takes with the others; none if it takes no time.
  std::optional<double> slow_down() const {
    return alone_s > 0 ? std::optional(together_s / alone_s) : std::nullopt;
  }
};

/// Replays each job alone, and all of them in one simulation: they share links, and the memory of nodes that
/// several have. Barriers and communicators are each job's own. Every iteration is simulated. A job whose
/// master gives tasks to whoever sends first does so together only if no other job receives from any source.
/// If one does, it is simulated alone once more, with the recorded order (SharedJobTimes::keeps_tasks).
/// @param finished  called with the number of finished simulations, of jobs.size() + 1
/// @param noise  that of every rank's core, alone and together the same; none: there is none
/// @pre all jobs have one platform
/// @throws InputError as replay_all() does, if a node is none of the platform's or twice in a job, or the
/// jobs' threads per rank differ
std::vector<SharedJobTimes> replay_side_by_side(std::span<const SharedJob> jobs, int processes,
                                                const ReplayOptions& options = {},
                                                const std::function<void(std::size_t)>& finished = {},
                                                const Noise* noise = nullptr, std::uint64_t noise_seed = 0);

/// What the ranks of all jobs do in a window of time while the jobs run together: one job's ranks after the
/// other's. A job that begins later has no region before. Nodes of links are hosts, and the bytes of each job
/// are in LinkUse::bytes_of_groups.
/// @throws InputError as replay_side_by_side() does, of a platform that changes over time, and of jobs that
/// begin so far apart that no picture shows both
ProgramTimeline replay_timeline_side_by_side(std::span<const SharedJob> jobs, double from_s, double until_s,
                                             const ReplayOptions& options = {});

}  // namespace finegrain::replay
