// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>

namespace finegrain {

/// Predicts a duration in the next iteration by a running mean, so that only the deviation is stored. The
/// last value would be worse: one late message should not spoil the next prediction as well. Encoder and
/// decoder go through the same steps. Numbers wrap, so that any clock value survives.
class RunningMean {
 public:
  /// The deviation to be stored.
  std::int64_t correct_to(std::uint64_t duration_ns) {
    const auto deviation_ns = static_cast<std::int64_t>(duration_ns - mean_ns_);
    learn(deviation_ns);
    return deviation_ns;
  }
  /// The duration, from the stored deviation.
  std::uint64_t corrected_by(std::int64_t deviation_ns) {
    const std::uint64_t duration_ns = mean_ns_ + static_cast<std::uint64_t>(deviation_ns);
    learn(deviation_ns);
    return duration_ns;
  }

 private:
  void learn(std::int64_t deviation_ns) {
    mean_ns_ += static_cast<std::uint64_t>(first_ ? deviation_ns : deviation_ns >> 3);
    first_ = false;
  }

  std::uint64_t mean_ns_ = 0;
  bool first_ = true;
};

}  // namespace finegrain
