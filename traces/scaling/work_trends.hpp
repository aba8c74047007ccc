// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <span>
#include <utility>
#include <vector>

#include "traces/scaling/folding.hpp"

namespace finegrain::scaling {

/// How work changes with the number of ranks: as a power of it. The same code runs between the same two
/// functions, on all ranks and in all iterations. So these are taken together, because the time of one call
/// on one rank varies far more than its trend.
class WorkTrends {
 public:
  /// @param ranks  of each recording, from the most on  @param programs  of each recording's ranks
  void add(int ranks, std::span<const Program> programs);

  /// Between -1 and 1, from the two recordings on most ranks; 0 if one of them has no such work.
  double exponent(const Call& call) const;

 private:
  struct Mean {
    double sum_ns = 0;
    double count = 0;
    double value_ns() const { return count > 0 ? sum_ns / count : 0; }
  };
  using Between = std::pair<RegionName, RegionName>;  ///< the function before, and the next one
  static Between between(const Call& call) { return {call.after.value_or(call.function), call.function}; }

  std::map<int, std::map<Between, Mean>> means_;  ///< by numbers of ranks
};

}  // namespace finegrain::scaling
