// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <optional>

#include "sim/replay/loaded_platform.hpp"
#include "sim/replay/replay.hpp"
#include "sim/replay/self_scheduling/assigned_tasks.hpp"
#include "sim/replay/self_scheduling/self_scheduling.hpp"

namespace finegrain::replay {

/// A job's programs, with each task at the worker that gets it on the job's platform.
struct ProgramsAsGiven {
  std::unique_ptr<SelfScheduling> found;  ///< which `programs` refers to
  std::unique_ptr<AssignedTasks> programs;
  TasksGiven given;

  /// The job with these programs. @pre they outlive it
  ReplayJob job(const ReplayJob& recorded) const;
};

/// Simulates the job once, to find out in which order results come on its platform. A simulation of the
/// programs that are returned takes nearly the same time, and is like any other: all orders in them are
/// decided. Only where the master waits does it post its receive earlier, before it knows whose result comes.
/// @returns none if the job has no programs of this kind (find_self_scheduling()), or they cannot be replayed
/// like that: for example because the n-th answer depends on which worker gets it
/// @throws InputError where a program cannot be read
std::optional<ProgramsAsGiven> assign_tasks(LoadedPlatform& loaded, const ReplayJob& job,
                                            const ReplayOptions& options);

}  // namespace finegrain::replay
