// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <utility>
#include <vector>

#include "traces/scaling/recorded_ranks.hpp"

namespace finegrain::scaling {

using Between = std::pair<int, int>;  ///< the site of the call before some work, and of the next one

/// Where the work before a rank's call is in the program. @param call  its index
Between between(const RecordedRank& rank, std::size_t call);

/// How work changes with the number of ranks: as a power of it. The same code runs between the same two
/// calls, on all ranks and in all iterations. So these are taken together, because the time of one call
/// on one rank varies far more than its trend.
///
/// The power is the slope of a straight line through the logarithms of the mean times in all recordings. Of a
/// rank that has at least eight times, the mean of their middle half counts: the first iteration is often far
/// longer, because memory is used for the first time in it, and follows another law.
/// Where the times of a kind vary much from call to call, or are off that line, its slope is uncertain. It is
/// then drawn towards that of all work together: total + (own - total) * t^2 / (t^2 + s^2). Here s is the
/// standard error of the own slope, and t = 1/2 is how far we expect two kinds to differ, as most are either
/// constant or shrink with the ranks. In the same way the slope of all work is drawn towards -1/2, between
/// these two.
class WorkTrends {
 public:
  void add(const Recording& recording);

  /// Between -1 and 1; 0 if fewer than two recordings have such work.
  double exponent(const Between& work) const;

 private:
  /// The work of one kind in one recording.
  struct Mean {
    double value_ns = 0;
    double variance_of_log = 0;  ///< squared standard error of the logarithm of the value
  };
  using Means = std::map<int, Mean>;  ///< by numbers of ranks
  /// The work before each call of one kind: shape [ranks][n-th of the rank]
  using Times = std::vector<std::vector<float>>;
  static Mean mean_of(const Times& times_ns);

  std::map<Between, Means> means_;
  Means totals_;
};

}  // namespace finegrain::scaling
