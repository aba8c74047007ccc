// SPDX-License-Identifier: MIT
#pragma once

#include "traces/programs.hpp"

namespace finegrain::replay {

/// Whether a rank has no work, no message and no barrier in an iteration, for example because it owns no row.
/// Such a rank does not wait for others and does not slow them. All of its iterations take equally long.
bool is_idle(const Body& body);

/// Whether no rank can run away from the others: there is a barrier, or all ranks but idle ones are linked by
/// pairs that send to each other. Then all advance at one pace in the long run.
bool is_coupled(const Schedule& schedule);

}  // namespace finegrain::replay
