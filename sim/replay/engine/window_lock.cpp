// SPDX-License-Identifier: MIT
#include "sim/replay/engine/window_lock.hpp"

#include <algorithm>

namespace finegrain::replay {

bool WindowLock::fits(Kind kind) const {
  return holders_.empty() || (kind == Kind::shared && holders_.front().kind == Kind::shared);
}

bool WindowLock::acquire(std::size_t rank, Kind kind) {
  const bool is_granted = waiting_.empty() && fits(kind);
  if (is_granted) {
    holders_.push_back({rank, kind});
  } else {
    waiting_.push_back({rank, kind});
  }
  return is_granted;
}

std::vector<std::size_t> WindowLock::release(std::size_t rank) {
  std::vector<std::size_t> granted;
  const auto held = std::ranges::find(holders_, rank, &Wish::rank);
  if (held == holders_.end()) return granted;
  holders_.erase(held);
  while (!waiting_.empty() && fits(waiting_.front().kind)) {
    holders_.push_back(waiting_.front());
    granted.push_back(waiting_.front().rank);
    waiting_.pop_front();
  }
  return granted;
}

}  // namespace finegrain::replay
