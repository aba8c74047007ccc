// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

namespace finegrain {

/// When a simulation's steps happened. Shape [ranks][iterations * steps of the rank's program]
struct StepTimes {
  std::vector<std::vector<double>> done_s;      ///< the rank went on
  std::vector<std::vector<double>> flow_end_s;  ///< of steps that start a flow and go on
};

}  // namespace finegrain
