// SPDX-License-Identifier: MIT
#include "sim/replay/programs/rank_rails.hpp"

namespace finegrain::replay {

RankRails::RankRails(const platform::Rails& rails, const problem::Placement& placement) : rails_(rails) {
  if (rails.count == 1 || rails.choice == platform::RailChoice::pairs) return;
  of_senders_.resize(static_cast<std::size_t>(placement.ranks()));
  const auto count = static_cast<std::size_t>(rails.count);
  for (int node = 0; node < placement.nodes(); ++node) {
    const std::vector<int> ranks = placement.ranks_of(node);
    for (std::size_t place = 0; place < ranks.size(); ++place)
      of_senders_[static_cast<std::size_t>(ranks[place])] = static_cast<int>(
          rails.choice == platform::RailChoice::blocks ? place * count / ranks.size() : place % count);
  }
}

}  // namespace finegrain::replay
