// SPDX-License-Identifier: MIT
#pragma once

#include "sim/replay/replay.hpp"

namespace finegrain {

/// Simulates a job in this process, which must not have simulated before.
/// @pre check_schedule(*job.schedule) holds
/// @throws InputError if the platform has too few hosts, no route, or SimGrid refuses it
ReplayResult simulate(const ReplayJob& job, const ReplayOptions& options);

}  // namespace finegrain
