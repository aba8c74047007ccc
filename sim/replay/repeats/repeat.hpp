// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "sim/replay/replay.hpp"

namespace finegrain::replay {

/// Iterations of a replay that stand for the ones after them.
struct Period {
  std::int64_t iterations = 0;
  std::vector<RankReplay> advances;  ///< each rank's, shape [ranks]
  bool repeats = true;  ///< false: there was no repeat, and these are the last iterations of those allowed
  double change = 0;    ///< largest change of any rank's advance since the period before, relative
};

/// What a rank did between two moments of a simulation. @param from  the earlier, with as many phases or
/// fewer
RankReplay difference(const RankReplay& to, const RankReplay& from);
/// Adds the iterations that were not simulated: `times` times what a rank did in one period.
void add(RankReplay& simulated, double times, const RankReplay& advance);

struct RepeatSettings {
  double tolerance =
      0;  ///< largest change of any iteration or phase, relative to the period, that counts as a repeat
  /// After this many iterations without a repeat, the mean of the last ones is used; empty: never.
  std::optional<std::int64_t> most_iterations;
};

/// Recognizes when iterations repeat: each of a period's iterations took every rank as long as the one a
/// period before, phase by phase, and all ranks advanced by the same amount. Then the ranks' positions
/// relative to one another are what they were a period ago, and so is all that follows. With barriers between
/// iterations this is so at once. Without barriers, faster ranks run ahead until they have to wait for
/// their neighbours; ranks that share a saturated memory or NIC then often take turns being ahead, in
/// periods of several iterations.
class RepeatDetector {
 public:
  RepeatDetector(std::size_t ranks, const RepeatSettings& settings);

  /// Where a rank is before its first iteration, if that is not time 0. @param so_far  finish_s: now
  void began(std::size_t rank, const RankReplay& so_far);

  /// Notes that a rank finished its next iteration. @returns the period, when all ranks have and it is a
  /// repeat
  /// @param so_far  all iterations together; finish_s: now
  std::optional<Period> finished(std::size_t rank, const RankReplay& so_far);
  /// Iterations that the rank has finished and not all others.
  std::size_t ahead(std::size_t rank) const {
    return marks_[rank].size() - 1 - static_cast<std::size_t>(complete_ - first_mark_);
  }

 private:
  std::optional<Period> find_period() const;
  bool repeats(std::size_t iterations) const;
  const RankReplay& mark(std::size_t rank, std::size_t iterations_ago) const;
  Period period_of(std::size_t iterations) const;

  RepeatSettings settings_;
  std::int64_t complete_ = 0;    ///< iterations that all ranks have finished
  std::int64_t first_mark_ = 0;  ///< iterations before the oldest mark kept
  std::vector<std::deque<RankReplay>>
      marks_;                                ///< each rank's, after first_mark_ iterations and each one more
  std::deque<std::size_t> ranks_to_finish_;  ///< how many, for each iteration after complete_
};

}  // namespace finegrain::replay
