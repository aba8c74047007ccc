// SPDX-License-Identifier: MIT
#pragma once

#include <span>

#include "sim/replay/engine/observer.hpp"
#include "sim/replay/replay.hpp"

namespace finegrain::replay {

/// The platform of a job. @throws InputError as LoadedPlatform does
LoadedPlatform load_platform(const ReplayJob& job);

/// Simulates a job, as simulate_with_actors() does, but messages that are on one route at one time are one
/// flow, and only those that meet others on a link pass through a solver. SimGrid reads the platform and
/// finds the routes; its own clock stands still, so that a process may simulate as often as it wants to.
/// @param loaded  that of job.platform->file, with a host for every node
/// @param observers  are told what happens
/// @pre job.programs is given, or check_schedule(*job.schedule) holds
/// @throws InputError if a route is missing, a program cannot be read, or its ranks wait for one another
ReplayResult simulate_flows(LoadedPlatform& loaded, const ReplayJob& job, const ReplayOptions& options,
                            std::span<Observer* const> observers = {});

}  // namespace finegrain::replay
