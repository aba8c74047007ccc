// SPDX-License-Identifier: MIT
#pragma once

#include <span>

#include "kernels/run/session.hpp"

namespace finegrain::kernels {

/// What a check found; the same on every rank, so that all of them leave with the same exit code.
struct CheckResult {
  double max_relative_difference = 0;  ///< max |ours - expected| over all ranks / max |expected|
  bool passed = false;
};

/// Compares a parallel result with the sequential one, each rank its own part.
class RoundOffCheck {
 public:
  /// Relative to the largest expected value. Both sides add in the same order, so differences are a few units
  /// in the last place (2.2e-16) at most, whatever the number of iterations of a step that does not amplify
  /// them.
  static constexpr double tolerance = 1e-12;

  /// @pre both have the same size
  void compare(std::span<const double> ours, std::span<const double> expected);

  /// Collective. Fails where the difference exceeds the tolerance, or either result is not finite, on any
  /// rank.
  CheckResult finish(const Session& session) const;

 private:
  double difference_ = 0;
  double magnitude_ = 0;
  bool finite_ = true;
};

}  // namespace finegrain::kernels
