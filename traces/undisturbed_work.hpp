// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

namespace finegrain {

/// The work of a loop without what comes and goes on single ranks. A recording of four iterations, in ms:
///
///     rank 0    4    4   90    4      the third iteration is heavy, and something disturbed rank 0 in it
///     rank 1    4    4    8    4
///     rank 2    6    6   12    6      it always works more than the others
///
/// The usual work of a rank is the mean of the middle half of its iterations: 4, 4 and 6. An iteration that
/// is heavier on all ranks is the program's: the median rank takes 1, 1, 2 and 1 times its usual work, in the
/// mean 1.25. So the ranks have 5, 5 and 7.5 ms an iteration.
class UndisturbedWork {
 public:
  /// @param stand_for  how many iterations each of those that are added stands for; empty: itself
  explicit UndisturbedWork(std::vector<float> stand_for = {}) : stand_for_(std::move(stand_for)) {}
  /// Adds the next rank. @param seconds  its pieces of work, shape [iterations][pieces], not empty
  /// @returns the usual seconds of each piece, shape [pieces]
  std::vector<float> add_rank(std::span<const float> seconds, std::size_t iterations);
  /// How much longer each iteration takes than the usual one, of the median rank. Empty: no rank works.
  std::vector<float> factors() const;
  /// The mean of all iterations'; 1 if no rank works.
  double factor() const;
  /// Whether heavy work is the program's own, although it comes and goes on single ranks, as where the owner
  /// of a step changes: on some rank, one iteration in twenty takes over five times as long as usual, when
  /// the median rank's does not, and 50 us longer at least. Disturbances of a recording are rarer, or
  /// lighter.
  bool moves() const;

 private:
  double weight(std::size_t iteration) const { return stand_for_.empty() ? 1 : stand_for_[iteration]; }

  std::vector<float> stand_for_;
  std::vector<std::vector<float>> times_usual_;  ///< shape [ranks with work][iterations]
  std::vector<float> usual_s_;                   ///< seconds of an iteration, shape [ranks with work]
};

/// The mean of the middle half. @pre not empty
double interquartile_mean(std::vector<float> values);

}  // namespace finegrain
