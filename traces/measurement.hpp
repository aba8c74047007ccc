// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "traces/trace_reader.hpp"

namespace finegrain {

/// What a trace measured, summarized over its iterations.
struct Measurement {
  std::int64_t iterations = 0;
  /// Seconds of an iteration on its slowest rank: median over the iterations, first and last decile.
  double iteration_s = 0;
  double iteration_low_s = 0;
  double iteration_high_s = 0;
  std::vector<std::vector<double>> phases_s;  ///< median over the iterations, shape [ranks][phases]
};

/// @pre every iteration of a rank has the same phases (schedule_of() says)
/// @throws InputError if the trace is damaged or holds no iteration
Measurement measure(const Trace& trace);

}  // namespace finegrain
