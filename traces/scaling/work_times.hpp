// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "traces/scaling/program_tree.hpp"
#include "traces/scaling/rank_factors.hpp"
#include "traces/scaling/where.hpp"
#include "traces/scaling/work_trends.hpp"

namespace finegrain::scaling {

/// How long ranks work before each call: as the mean of the largest recording, extrapolated by the trends of
/// all.
class WorkTimes {
 public:
  /// @param recordings  the largest one first
  WorkTimes(const ProgramTree& tree, const std::vector<Recording>& recordings);

  /// Each step of a loop has its own time, if there are no more.
  static constexpr std::int64_t most_steps = 64;

  /// Before a call at a node, in a step of the loop around it, after a call at another site.
  /// @param ranks  those of the program that is made
  double work_ns(int node, int previous_site, const StepOf& step, int ranks) const;
  /// How much each recorded rank works, compared with the mean of the same calls. Shape [origins]
  const std::vector<double>& compared() const { return compared_; }

 private:
  struct Mean {
    double sum_ns = 0;
    double count = 0;
    void add(double work_ns) {
      sum_ns += work_ns;
      ++count;
    }
    double value() const { return count > 0 ? sum_ns / count : 0; }
  };
  using Key = std::pair<int, int>;  ///< node, and site of the call before

  WorkTrends trends_;
  int largest_ = 0;         ///< ranks of that recording
  std::vector<int> sites_;  ///< each node's
  std::map<Key, Mean> means_;
  std::map<Key, std::map<std::int64_t, Mean>> by_step_;
  std::map<Key, std::int64_t> steps_;  ///< how many the loop around has
  std::vector<double> compared_;
};

}  // namespace finegrain::scaling
