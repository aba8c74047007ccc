// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "sim/replay/machine.hpp"
#include "sim/replay/rank_program.hpp"
#include "sim/replay/replay.hpp"

namespace finegrain {

/// The job's own, or block.
Placement placement_of(const ReplayJob& job);

/// What the ranks of a job do on a machine. Shape [ranks]
/// @throws InputError if a route is missing
std::vector<RankProgram> make_programs(const ReplayJob& job, const Placement& placement, Machine& machine);

}  // namespace finegrain
