// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <vector>

namespace finegrain::replay {

/// Iterations of a replay that stand for the ones after them.
struct Period {
  std::int64_t iterations = 0;
  std::vector<double> seconds;                ///< that each rank advances, shape [ranks]
  std::vector<std::vector<double>> phases_s;  ///< of them in each phase, shape [ranks][phases]
  bool repeats = true;  ///< false: there was no repeat, and these are the last iterations of those allowed
  double change = 0;    ///< largest change of any rank's advance since the period before, relative
};

struct RepeatSettings {
  double tolerance =
      0;  ///< largest change of any iteration or phase, relative to the period, that counts as a repeat
  /// After so many iterations without a repeat, the mean of the last ones has to do; none: never.
  std::optional<std::int64_t> most_iterations;
};

/// Recognizes when iterations repeat: each of a period's iterations took every rank as long as the one a
/// period before, phase by phase, and all ranks advanced by the same amount. Then the ranks' positions
/// relative to one another are what they were a period ago, and so is all that follows. Between barriers that
/// is so at once. Without, ranks that are faster run ahead, until their neighbours hold them; ranks that
/// share a saturated memory or NIC then often take turns being ahead, in periods of several iterations.
class RepeatDetector {
 public:
  RepeatDetector(std::size_t ranks, const RepeatSettings& settings);

  /// Where a rank is before its first iteration, if that is not time 0.
  void began(std::size_t rank, double clock_s, std::span<const double> phases_s);

  /// Notes that a rank finished its next iteration. @returns the period, when all ranks have and it is a
  /// repeat
  /// @param phases_s  seconds that the rank spent in each phase so far, all iterations together
  std::optional<Period> finished(std::size_t rank, double clock_s, std::span<const double> phases_s);
  /// Iterations that the rank has finished and not all others.
  std::size_t ahead(std::size_t rank) const {
    return marks_[rank].size() - 1 - static_cast<std::size_t>(complete_ - first_mark_);
  }

 private:
  struct Mark {
    double clock_s;
    std::vector<double> phases_s;
  };

  std::optional<Period> find_period() const;
  bool repeats(std::size_t iterations) const;
  const Mark& mark(std::size_t rank, std::size_t iterations_ago) const;
  Period period_of(std::size_t iterations) const;

  RepeatSettings settings_;
  std::int64_t complete_ = 0;                ///< iterations that all ranks have finished
  std::int64_t first_mark_ = 0;              ///< iterations before the oldest mark kept
  std::vector<std::deque<Mark>> marks_;      ///< of each rank, after first_mark_ iterations and each one more
  std::deque<std::size_t> ranks_to_finish_;  ///< of the iterations after complete_
};

}  // namespace finegrain::replay
