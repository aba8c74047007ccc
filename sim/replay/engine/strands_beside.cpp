// SPDX-License-Identifier: MIT
#include "sim/replay/engine/strands_beside.hpp"

#include "sim/replay/clock.hpp"

namespace finegrain::replay {

std::size_t StrandsBeside::add(std::size_t rank) {
  if (ended_.empty()) {
    ended_.push_back(ranks_ + strands_.size());
    strands_.emplace_back();
  }
  const std::size_t number = ended_.back();
  ended_.pop_back();
  Strand& strand = (*this)[number];
  strand.rank = rank;
  strand.requests = {};
  return number;
}

void StrandsBeside::wake(std::size_t number, double at_s) {
  wakes_.emplace(at_s, number);
  events_.schedule(source_, at_s);
}

std::optional<std::size_t> StrandsBeside::next_due() {
  if (wakes_.empty()) return std::nullopt;
  if (wakes_.top().first > events_.now_s() + clock_resolution_s) {
    events_.schedule(source_, wakes_.top().first);
    return std::nullopt;
  }
  const std::size_t number = wakes_.top().second;
  wakes_.pop();
  return number;
}

}  // namespace finegrain::replay
