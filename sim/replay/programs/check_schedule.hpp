// SPDX-License-Identifier: MIT
#pragma once

#include "traces/programs.hpp"

namespace finegrain::replay {

/// Checks that a schedule can run to its end: as many bodies as ranks, peers that exist, every send received
/// by its peer with the same sizes in the same order and by the same tags, every request made before it is
/// waited for, and waited for before the iteration ends, equally many barriers on all ranks.
/// @throws InputError naming the ranks
void check_schedule(const Schedule& schedule);

}  // namespace finegrain::replay
