// SPDX-License-Identifier: MIT
#pragma once

#include "sim/replay/replay.hpp"

namespace finegrain::replay {

/// Simulates a job in this process, which must not have simulated before, with an actor of SimGrid a rank and
/// a flow a message.
/// @pre check_schedule(*job.schedule) holds
/// @throws InputError if the platform has too few hosts, no route, or SimGrid refuses it
ReplayResult simulate_with_actors(const ReplayJob& job, const ReplayOptions& options);

}  // namespace finegrain::replay
