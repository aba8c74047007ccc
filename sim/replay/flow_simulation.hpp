// SPDX-License-Identifier: MIT
#pragma once

#include "sim/replay/replay.hpp"
#include "sim/replay/timeline.hpp"

namespace finegrain {

class Machine;

/// Simulates a job in this process, which must not have simulated before: as simulate_with_actors() does, but
/// messages that are on one route at one time are one flow, and only those that meet others on a link pass
/// through a solver. SimGrid reads the platform and finds the routes.
/// @pre check_schedule(*job.schedule) holds
/// @throws InputError if the platform has too few hosts, no route, or SimGrid refuses it
ReplayResult simulate_flows(const ReplayJob& job, const ReplayOptions& options);
/// On a machine that is loaded already, as often as wanted: SimGrid's own clock stands still.
/// @param machine  of job.platform->file, with a host for every node
ReplayResult simulate_flows_on(Machine& machine, const ReplayJob& job, const ReplayOptions& options);

/// The same, every iteration in full, and what happened.
Timeline simulate_timeline(const ReplayJob& job, ReplayOptions options);

}  // namespace finegrain
