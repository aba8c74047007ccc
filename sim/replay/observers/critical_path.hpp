// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "sim/replay/observers/step_log.hpp"
#include "sim/replay/timeline.hpp"

namespace finegrain::replay {

/// The longest path through a run's happens-before graph: vertices are the ends of steps, an edge is what has
/// to happen between two of them, with the time that it took in the simulation. Pieces of one kind, rank,
/// peer and phase that follow one another are one.
std::vector<PathPiece> critical_path(const StepLog& log);

}  // namespace finegrain::replay
