// SPDX-License-Identifier: MIT
#pragma once

#include "sim/replay/compiler.hpp"
#include "sim/replay/machine.hpp"
#include "sim/replay/step_times.hpp"
#include "sim/replay/timeline.hpp"

namespace finegrain {

/// What a simulation's step times say. @pre they are of all iterations of `routed`, which ran on `machine`
Timeline make_timeline(const RoutedPrograms& routed, const StepTimes& times, const Machine& machine);

}  // namespace finegrain
