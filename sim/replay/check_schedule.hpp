// SPDX-License-Identifier: MIT
#pragma once

#include "traces/schedule.hpp"

namespace finegrain {

/// Checks that a schedule can run to its end: as many iterations as ranks, peers that exist, every send
/// received by its peer with the same sizes in the same order and waited for, puts and gets waited for where
/// the run waits for them together, equally many barriers on all ranks.
/// @throws InputError naming the ranks
void check_schedule(const Schedule& schedule);

}  // namespace finegrain
