// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "sim/replay/replay.hpp"
#include "sim/sensitivity/numbers.hpp"

namespace finegrain::sensitivity {

struct Question {
  /// How much better each number is, ascending; below 1: worse.
  std::vector<double> factors = {1.01, 1.1, 2};
  /// Finds also how much better each number has to be for these speed-ups of the run; below 1, which are
  /// slow-downs, how much worse it may be until then.
  std::vector<double> speedups = {};
  int most_ranks = 16;  ///< those with most work
  int processes = 1;
};

/// What the run gains if one number is better, or loses if it is worse.
struct Sensitivity {
  Number number;
  std::vector<double> totals_s;  ///< simulated, shape [Question::factors]
  /// -d log(time) / d log(factor), from factor_of_elasticity(): 1 if all of the time is proportional to it.
  double elasticity = 0;
  /// The factor nearest to 1 that reaches each speed-up or slow-down, within 0.1 or 0.01 %. None: no factor
  /// up to a million, or down to a millionth, reaches it. Shape [Question::speedups]
  std::vector<std::optional<double>> needed = {};
};

struct Sensitivities {
  double total_s = 0;  ///< simulated, nothing changed
  /// Sorted by what they change most: the gain of the largest factor; if all make it worse, the loss of the
  /// smallest one.
  std::vector<Sensitivity> numbers;
};

/// The factor from which elasticities are computed: the one nearest to 1, rather a better one. @pre there is
/// one
double factor_of_elasticity(std::span<const double> factors);

/// Simulates a job once for each number and factor, each in a process of its own: nothing is differentiated.
/// @param job  one of a schedule or of programs
/// @param simulated  called with the number of simulations that have ended, and of all; may be empty
/// @throws InputError as answer::evaluate() does
Sensitivities sensitivities(const replay::ReplayJob& job, const replay::ReplayOptions& options,
                            const Question& question,
                            const std::function<void(std::size_t, std::size_t)>& simulated = {});

}  // namespace finegrain::sensitivity
