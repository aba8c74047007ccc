// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <vector>

#include "sim/replay/compiler.hpp"
#include "sim/replay/step_times.hpp"

namespace finegrain {

/// A step of a rank in some iteration: `number` counts through all iterations, as in StepTimes.
struct StepPlace {
  std::size_t rank;
  std::size_t number;
};

/// A message between two ranks, from the step that sends or delivers it to the one that expects it.
struct MatchedMessage {
  StepPlace sent;
  StepPlace expected;
  double arrival_s;  ///< may be before it is expected
};

/// Two-sided messages: the first sent on a connection is the first expected. In the order of connections.
std::vector<MatchedMessage> matched_messages(const RoutedPrograms& routed, const StepTimes& times);

}  // namespace finegrain
