// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <vector>

#include "traces/scaling/folding.hpp"
#include "traces/scaling/rules.hpp"

namespace finegrain::scaling {

/// A rank of a recording, or a step of a loop in it.
struct Origin {
  Place place;
  const Program* program;
};

/// The rules of one operation's numbers.
struct OperationRules {
  std::vector<Rule> peer, size, tag, oldest, count;
  bool lacks_one = false;  ///< one of its numbers has no rule
};

/// Times of work, by the number of ranks and the step.
struct WorkTime {
  double sum_ns = 0;
  int count = 0;
};
using WorkTimes = std::map<int, std::vector<WorkTime>>;

/// The rules of one part of a program: of a call's operations, or of a loop and its steps.
struct PartRules {
  const Part* part;  ///< of the first recording: what does not differ
  std::vector<OperationRules> operations = {};
  WorkTimes work_ns = {};
  std::vector<Rule> step_count = {};
  bool steps_known = true;  ///< their number was recorded on different numbers of ranks
  std::vector<std::vector<PartRules>> steps = {};  ///< one, if they have the same rules
  bool by_step = false;                            ///< these rules tell one step from another
};
using ProgramRules = std::vector<PartRules>;

/// The rules that the same program of several ranks and recordings obeys.
/// @param origins  not empty; their programs have one shape
/// @param border  if not null: only ranks at this border of the grid have one rule for their peers
ProgramRules rules_of(const std::vector<Origin>& origins, const std::vector<int>* border);

/// Extrapolated from the largest recording, at the same share of the steps.
/// @param exponent  of the number of ranks
double work_ns(const WorkTimes& times, const Place& place, double exponent);

}  // namespace finegrain::scaling
