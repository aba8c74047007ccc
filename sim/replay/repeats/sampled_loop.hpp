// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sim/replay/replay.hpp"

namespace finegrain::replay {

/// A loop of which some iterations are simulated, each with its own times, and stand for all.
class SampledLoop {
 public:
  /// @pre 0 < samples <= iterations
  SampledLoop(std::size_t ranks, std::int64_t iterations, std::int64_t samples)
      : iterations_(iterations), samples_(samples), ranks_(ranks) {}

  std::int64_t samples() const { return samples_; }
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
    RankReplay start;
    RankReplay end;
  };
  std::int64_t iterations_;
  std::int64_t samples_;
  std::vector<Rank> ranks_;
  std::vector<double> ends_s_;  ///< rank 0's iterations'
};

}  // namespace finegrain::replay
