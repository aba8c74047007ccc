// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "sim/replay/repeat.hpp"
#include "sim/replay/replay.hpp"

namespace finegrain {

/// How many iterations a replay simulates, and what the others add.
class IterationCount {
 public:
  IterationCount(const Schedule& schedule, const ReplayOptions& options);

  /// Each rank simulates so many; it may become fewer meanwhile, never fewer than some rank has started.
  std::int64_t to_simulate() const { return to_simulate_; }
  void started(std::int64_t iteration);
  /// @param phases_s  seconds that the rank spent in each phase so far, all iterations together
  void finished(std::size_t rank, double clock_s, std::span<const double> phases_s);

  /// What a rank simulated, with what it did not simulate added.
  RankReplay completed(std::size_t rank, RankReplay simulated) const;
  void report(ReplayResult& result) const;

 private:
  std::int64_t to_simulate_;
  std::int64_t started_ = 0;  ///< by the rank that is furthest ahead
  std::int64_t skipped_periods_ = 0;
  std::optional<RepeatDetector> detector_;
  std::optional<Period> period_;
};

}  // namespace finegrain
