// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "traces/formats/imported_trace.hpp"
#include "traces/scaling/program_rules.hpp"
#include "traces/scaling/work_times.hpp"

namespace finegrain::scaling {

/// What a program does on another number of ranks.
struct ScaledProgram {
  std::vector<formats::RankCalls> programs = {};
  std::vector<formats::Communicator> communicators = {};
  /// Rules that give nothing, or disagree; and messages that nobody receives, or sends. None: it is whole.
  std::vector<Obstacle> obstacles = {};
  /// Where several rules fit and differ, and the one that programs obey most was taken.
  std::vector<Obstacle> choices = {};
  /// Equal for programs that do the same, times aside.
  std::uint64_t fingerprint = 0;
};

ScaledProgram scaled_program(const ProgramTree& tree, const ProgramRules& rules, const WorkTimes& times,
                             const Sites& sites, int ranks);

}  // namespace finegrain::scaling
