// SPDX-License-Identifier: MIT
#pragma once

#include <functional>

namespace finegrain {

/// Called after each rank of a job over a whole trace; may be empty.
using OnRank = std::function<void(int done, int all)>;

}  // namespace finegrain
