// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/problem/placement.hpp"
#include "sim/platform/rails.hpp"

namespace finegrain::replay {

/// Whether a message goes by one of its node's rails, or is divided among all.
enum class By : std::uint8_t { one_rail, all_rails };

/// By which rail each message goes. Source: platform::RailChoice.
class RankRails {
 public:
  RankRails(const platform::Rails& rails, const problem::Placement& placement);
  /// Bytes that go from one rank to another, also where the other one asked for them.
  /// @returns its number, or platform::all_rails
  int of(int from_rank, int to_rank, By by = By::one_rail) const {
    if (by == By::all_rails) return platform::all_rails;
    if (rails_.count == 1) return 0;
    if (rails_.choice == platform::RailChoice::pairs)
      return static_cast<int>((static_cast<long>(from_rank) + to_rank) % rails_.count);
    return of_senders_[static_cast<std::size_t>(from_rank)];
  }

 private:
  platform::Rails rails_;
  std::vector<int> of_senders_;  ///< shape [ranks], unless pairs choose
};

}  // namespace finegrain::replay
