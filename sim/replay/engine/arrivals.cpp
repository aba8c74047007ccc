// SPDX-License-Identifier: MIT
#include "sim/replay/engine/arrivals.hpp"

namespace finegrain::replay {

std::int64_t Arrivals::note(std::int64_t receive, double at_s) {
  const auto is_in_order = [](std::int64_t earlier, double earlier_s, std::int64_t later, double later_s) {
    return later != earlier + 1 || earlier_s <= later_s;
  };
  std::int64_t out_of_order = 0;
  for (const auto& [other, other_s] : last_) {
    if (!is_in_order(other, other_s, receive, at_s) || !is_in_order(receive, at_s, other, other_s))
      ++out_of_order;
  }
  // Only receives whose messages came last are remembered, to save memory: its neighbours are among these.
  constexpr std::size_t most_arrivals = 16;
  if (last_.size() == most_arrivals) last_.erase(last_.begin());
  last_.emplace_back(receive, at_s);
  return out_of_order;
}

}  // namespace finegrain::replay
