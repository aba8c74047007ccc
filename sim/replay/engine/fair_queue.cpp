// SPDX-License-Identifier: MIT
#include "sim/replay/engine/fair_queue.hpp"

#include <algorithm>
#include <limits>

namespace finegrain::replay {

bool FairQueue::ends_later(const Job& a, const Job& b) {
  return a.end != b.end ? a.end > b.end : a.number > b.number;
}

void FairQueue::advance(double now_s) {
  served_ += rate_ * (now_s - advanced_to_s_);
  advanced_to_s_ = now_s;
}

void FairQueue::set_rate(double rate, double now_s) {
  advance(now_s);
  rate_ = rate;
}

void FairQueue::add(double amount, std::uint32_t number, double now_s) {
  advance(now_s);
  if (jobs_.empty()) served_ = 0;  // small numbers are more exact
  jobs_.push_back({served_ + amount, number});
  std::push_heap(jobs_.begin(), jobs_.end(), ends_later);
}

double FairQueue::next_end_s() const {
  if (jobs_.empty() || rate_ <= 0) return std::numeric_limits<double>::infinity();
  return advanced_to_s_ + std::max(0.0, jobs_.front().end - served_) / rate_;
}

std::uint32_t FairQueue::finish(double now_s) {
  advance(now_s);
  std::pop_heap(jobs_.begin(), jobs_.end(), ends_later);
  const std::uint32_t number = jobs_.back().number;
  jobs_.pop_back();
  return number;
}

}  // namespace finegrain::replay
