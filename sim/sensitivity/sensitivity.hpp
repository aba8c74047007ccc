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
  std::optional<double> speedup;                 ///< and how much better it has to be to reach this
  int most_ranks = 16;                           ///< those that work most
  int processes = 1;
};

/// What the run gains if one number is better.
struct Sensitivity {
  Number number;
  std::vector<double> totals_s;  ///< simulated, shape [Question::factors]
  /// -d log(time) / d log(factor), from the smallest factor: 1 if all of the time is in proportion to it.
  double elasticity = 0;
  /// The smallest factor with which the speed-up is reached, within 0.1 %. None: not by this number alone, or
  /// not asked.
  std::optional<double> needed;
};

struct Sensitivities {
  double total_s = 0;                ///< as it is, simulated
  std::vector<Sensitivity> numbers;  ///< the largest gain of the largest factor first
};

/// Simulates a job once for each number and factor, each in a process of its own: nothing is differentiated.
/// @param job  of a schedule, or of programs (without bytes that a schedule would have: of their own)
/// @param simulated  told how many simulations have ended, of how many; may be empty
/// @throws InputError as replay_all()
Sensitivities sensitivities(const replay::ReplayJob& job, const replay::ReplayOptions& options,
                            const Question& question,
                            const std::function<void(std::size_t, std::size_t)>& simulated = {});

}  // namespace finegrain::sensitivity
