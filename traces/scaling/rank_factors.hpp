// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <span>
#include <vector>

#include "traces/scaling/process_grid.hpp"

namespace finegrain::scaling {

/// How much a rank of a recording works, compared with the mean of the same calls on all ranks.
struct RankWork {
  const ProcessGrid* grid;
  int rank;
  double work;  ///< 1: as much as the others
};

/// How much more or less a rank works than others at the same calls: a rank that also writes files, or has
/// the finest part of a mesh. Its factor is its work divided by the median of the others. A new rank takes
/// the factors of the ranks at the same border of the grid, and among these at the nearest share of its
/// sides, as the mean of all recordings.
///
/// One recording's factors are also chance: a rank was disturbed, or had the slower core. What recordings
/// agree on is not. With r as the correlation of the largest recording's factors with those of the others,
/// the mean of k recordings is k r / (1 + (k - 1) r) of the truth (the formula of Spearman and Brown, 1910),
/// and the factors are drawn towards 1 by the rest. Without any correlation, all ranks work as much.
class RankFactors {
 public:
  /// @param works  those of all ranks of all recordings, not empty
  explicit RankFactors(std::span<const RankWork> works);

  /// 1 is the mean of the largest recording's ranks.
  double factor(const ProcessGrid& grid, int rank) const;

 private:
  struct Recorded {
    std::vector<double> at;  ///< as a share of each side of the grid
    double factor;
  };
  using AtBorder = std::map<std::vector<int>, std::vector<Recorded>>;

  double drawn(const ProcessGrid& grid, int rank) const;

  std::map<int, AtBorder> recordings_;  ///< by their numbers of ranks
  double reliability_ = 0;
  double mean_ = 1;  ///< that of the largest recording's ranks
};

}  // namespace finegrain::scaling
