// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "sim/replay/repeats/repeat.hpp"
#include "sim/replay/replay.hpp"

namespace finegrain::replay {

/// How many iterations a replay simulates, and what the others add.
class IterationCount {
 public:
  IterationCount(const Schedule& schedule, const ReplayOptions& options);
  /// The iterations of a loop inside a program, in which every rank works.
  /// @param is_coupled  no rank can run away from the others
  IterationCount(std::size_t ranks, std::int64_t iterations, const ReplayOptions& options, bool is_coupled);

  /// The rank begins its first iteration, unless that is at time 0. @param so_far  finish_s: now
  void began(std::size_t rank, const RankReplay& so_far);
  /// How many iterations a rank simulates. An idle rank simulates one. For all others it is the same number.
  /// It may become smaller during the run, but never smaller than the iteration that some rank has begun.
  std::int64_t to_simulate(std::size_t rank) const { return is_idle_[rank] ? 1 : to_simulate_; }
  void started(std::size_t rank, std::int64_t iteration);
  /// @param so_far  all iterations together; finish_s: now
  void finished(std::size_t rank, const RankReplay& so_far);

  /// What a rank simulated, with what it did not simulate added.
  RankReplay completed(std::size_t rank, RankReplay simulated) const;
  void report(ReplayResult& result) const;

 private:
  std::int64_t iterations_;
  std::int64_t to_simulate_;
  std::vector<bool> is_idle_;         ///< shape [ranks]; none is where every iteration is simulated
  std::vector<std::size_t> working_;  ///< each rank's number among those that are not idle
  std::int64_t started_ = 0;          ///< by the rank that is furthest ahead
  std::int64_t skipped_periods_ = 0;
  std::optional<RepeatDetector> detector_;
  std::optional<Period> period_;
};

}  // namespace finegrain::replay
