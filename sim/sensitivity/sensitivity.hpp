// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "sim/replay/replay.hpp"
#include "sim/sensitivity/numbers.hpp"

namespace finegrain::sensitivity {

struct Question {
  std::vector<double> factors = {1.01, 1.1, 2};  ///< how much better each number is, ascending, above 1
  std::optional<double> speedup;                 ///< finds also how much better each has to be for this
  int most_ranks = 16;                           ///< those with most work
  int processes = 1;
};

/// What the run gains if one number is better.
struct Sensitivity {
  Number number;
  std::vector<double> totals_s;  ///< simulated, shape [Question::factors]
  /// -d log(time) / d log(factor), from the smallest factor: 1 if all of the time is proportional to it.
  double elasticity = 0;
  /// The smallest factor that reaches the speed-up, within 0.1 %. None: this number alone cannot reach it, or
  /// no speed-up was asked for.
  std::optional<double> needed;
};

struct Sensitivities {
  double total_s = 0;                ///< simulated, nothing changed
  std::vector<Sensitivity> numbers;  ///< sorted by the gain of the largest factor, the largest first
};

/// Simulates a job once for each number and factor, each in a process of its own: nothing is differentiated.
/// @param job  of a schedule or of programs
/// @param simulated  called with the number of simulations that have ended, and of all; may be empty
/// @throws InputError as answer::evaluate() does
Sensitivities sensitivities(const replay::ReplayJob& job, const replay::ReplayOptions& options,
                            const Question& question,
                            const std::function<void(std::size_t, std::size_t)>& simulated = {});

}  // namespace finegrain::sensitivity
