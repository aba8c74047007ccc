// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "traces/iteration.hpp"
#include "traces/run.hpp"

namespace finegrain {

/// What every rank does in one iteration of a run, and that iteration repeats run.iterations times.
struct Schedule {
  Run run;
  std::vector<Iteration> ranks;  ///< shape [run.ranks]
};

}  // namespace finegrain
