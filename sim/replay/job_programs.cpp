// SPDX-License-Identifier: MIT
#include "sim/replay/job_programs.hpp"

#include <algorithm>
#include <span>

namespace finegrain {
namespace {

/// Barriers are met by all ranks or none: check_schedule().
bool has_barrier(const Schedule& schedule) {
  return std::ranges::any_of(schedule.ranks.front().phases,
                             [](const Phase& phase) { return phase.kind == PhaseKind::barrier; });
}

}  // namespace

Placement placement_of(const ReplayJob& job) {
  return job.placement != nullptr ? *job.placement
                                  : Placement(job.schedule->run.ranks, job.schedule->run.ranks_per_node);
}

std::vector<RankProgram> make_programs(const ReplayJob& job, const Placement& placement, Machine& machine) {
  const auto latency_s = [&](int from, int to) { return machine.route(from, to).latency_s; };
  const PlatformCosts& costs = job.platform->costs;
  // Without a barrier, nodes that exchange no message need no route to one another.
  const double barrier_s = has_barrier(*job.schedule) ? barrier_seconds(placement, costs, latency_s) : 0;
  const RankSetting setting{placement, costs, latency_s, barrier_s};
  std::vector<RankProgram> programs;
  for (int rank = 0; rank < placement.ranks(); ++rank) {
    const auto index = static_cast<std::size_t>(rank);
    const std::span<const double> durations_s = job.durations != nullptr
                                                    ? std::span<const double>((*job.durations)[index])
                                                    : std::span<const double>();
    programs.push_back(make_program(job.schedule->ranks[index], rank, setting, durations_s));
  }
  return programs;
}

}  // namespace finegrain
