// SPDX-License-Identifier: MIT
#include "sim/replay/job_programs.hpp"

#include <algorithm>
#include <span>
#include <variant>

#include "sim/schedule/memory_bytes.hpp"

namespace finegrain {
namespace {

/// One value's bytes in an unpack phase.
double unpack_bytes_per_value(const Run& run) {
  const bool heat = std::holds_alternative<HeatProblem>(run.problem);
  return static_cast<double>(heat ? halo_pack_bytes(1) : unpack_bytes(1));
}

/// SpMV's copy of x and its outgoing messages come from malloc (Listings 4 and 5). Heat's rows are in shared
/// memory (Listing 7); its columns, in private memory, are few between nodes.
bool uses_private_memory(const Run& run) {
  return std::holds_alternative<SpmvProblem>(run.problem);
}

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
  const bool barriers_take_time = has_barrier(*job.schedule) && costs.barriers_take_time;
  const RankSetting setting{
      .placement = placement,
      .costs = costs,
      .latency_s = latency_s,
      .barrier_s = barriers_take_time ? barrier_seconds(placement, costs, latency_s) : 0,
      .unpack_bytes_per_value = unpack_bytes_per_value(job.schedule->run),
      .private_memory = uses_private_memory(job.schedule->run),
      .bandwidth_bytes_per_s = [&](int from, int to) {
        return machine.route(from, to).bandwidth_bytes_per_s;
      }};
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
