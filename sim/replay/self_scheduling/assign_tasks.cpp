// SPDX-License-Identifier: MIT
#include "sim/replay/self_scheduling/assign_tasks.hpp"

#include <span>
#include <utility>

#include "sim/replay/engine/flow_simulation.hpp"
#include "traces/io/input_error.hpp"

namespace finegrain::replay {

ReplayJob ProgramsAsGiven::job(const ReplayJob& recorded) const {
  ReplayJob job = recorded;
  job.programs = programs.get();
  job.folded = nullptr;
  return job;
}

std::optional<ProgramsAsGiven> assign_tasks(LoadedPlatform& loaded, const ReplayJob& job,
                                            const ReplayOptions& options) {
  if (job.programs == nullptr || job.keeps_tasks) return std::nullopt;
  auto found = find_self_scheduling(*job.programs);
  if (!found) return std::nullopt;
  ProgramsAsGiven as_given{std::make_unique<SelfScheduling>(std::move(*found)), nullptr, {}};
  as_given.programs = std::make_unique<AssignedTasks>(*job.programs, *as_given.found);
  ReplayJob deciding = as_given.job(job);
  deciding.tasks = as_given.programs.get();
  try {
    const ReplayResult decided = simulate_flows(loaded, deciding, options);
    if (decided.unreceived.count > as_given.found->unreceived) return std::nullopt;
  } catch (const InputError&) {  // with other answers, ranks wait for one another forever
    return std::nullopt;
  }
  if (!as_given.programs->is_decided()) return std::nullopt;
  as_given.given = as_given.programs->given();
  return as_given;
}

}  // namespace finegrain::replay
