// SPDX-License-Identifier: MIT
#include "sim/replay/engine/fair_queue.hpp"

#include <algorithm>

namespace finegrain::replay {

bool FairQueue::ends_later(const Job& a, const Job& b) {
  return a.end != b.end ? a.end > b.end : a.number > b.number;
}

void FairQueue::add(double amount, std::uint32_t number, double now_s) {
  advance(now_s);
  if (jobs_.empty()) served_ = 0;  // small numbers are more exact
  jobs_.push_back({served_ + amount, number});
  std::push_heap(jobs_.begin(), jobs_.end(), ends_later);
  next_end_ = jobs_.front().end;
}

std::uint32_t FairQueue::finish(double now_s) {
  advance(now_s);
  std::pop_heap(jobs_.begin(), jobs_.end(), ends_later);
  const std::uint32_t number = jobs_.back().number;
  jobs_.pop_back();
  next_end_ = jobs_.empty() ? never : jobs_.front().end;
  return number;
}

}  // namespace finegrain::replay
