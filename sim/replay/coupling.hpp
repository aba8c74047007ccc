// SPDX-License-Identifier: MIT
#pragma once

#include "traces/schedule.hpp"

namespace finegrain {

/// Whether no rank can run away from the others: there is a barrier, or all ranks are linked by pairs that
/// send to each other. Then all advance at one pace in the long run.
bool is_coupled(const Schedule& schedule);

}  // namespace finegrain
