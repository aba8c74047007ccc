// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <span>
#include <vector>

#include "sim/replay/replay.hpp"

namespace finegrain::replay {

/// What a sample of a loop's iterations stands for.
struct StandsFor {
  float iterations = 1;
  std::uint32_t kind = 0;  ///< those of one kind are about as heavy
};

/// A loop of which some iterations are simulated, each with its own times, and stand for all. An iteration
/// that stands for three counts two times more.
class SampledLoop {
 public:
  /// @param samples  not empty
  SampledLoop(std::size_t ranks, std::span<const StandsFor> samples)
      : samples_(samples.begin(), samples.end()), ranks_(ranks) {}

  std::int64_t samples() const { return std::ssize(samples_); }
  /// Where a rank is before its first iteration. @param so_far  finish_s: now, as of finished()
  void began(std::size_t rank, const RankReplay& so_far);
  void finished(std::size_t rank, const RankReplay& so_far);
  /// What a rank simulated, with the iterations that it did not simulate added.
  RankReplay completed(std::size_t rank, RankReplay simulated) const;
  /// Standard error of the loop's time, computed from the differences between the samples.
  double standard_error_s() const;

 private:
  struct Rank {
    std::int64_t finished = 0;
    RankReplay before;    ///< its next iteration
    RankReplay left_out;  ///< what the finished iterations stand for besides themselves
  };
  std::vector<StandsFor> samples_;
  std::vector<Rank> ranks_;
  double start_s_ = 0;          ///< rank 0's first iteration
  std::vector<double> ends_s_;  ///< rank 0's iterations'
};

}  // namespace finegrain::replay
