// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sim/replay/engine/event_queue.hpp"
#include "sim/replay/engine/rank_state.hpp"

namespace finegrain::replay {

/// All ranks, and which of them go on now.
class Ranks {
 public:
  /// Rank r is source r of `events`. @pre these are its first sources
  Ranks(EventQueue& events, std::size_t ranks) : events_(events), ranks_(ranks) {
    for (std::size_t number = 0; number < ranks; ++number) {
      ranks_[number].rank = number;
      events_.add_source();
    }
  }

  std::size_t size() const { return ranks_.size(); }
  Rank& operator[](std::size_t number) { return ranks_[number]; }
  const Rank& operator[](std::size_t number) const { return ranks_[number]; }
  auto begin() { return ranks_.begin(); }
  auto end() { return ranks_.end(); }
  auto begin() const { return ranks_.begin(); }
  auto end() const { return ranks_.end(); }

  /// The rank goes on at this time.
  void wake(std::size_t number, double at_s) {
    ranks_[number].goes_on_s = at_s;
    if (at_s == events_.now_s())
      ready_.push_back(number);  // the queue of events would give it back at once
    else
      events_.schedule(number, at_s);
  }
  /// The rank goes on, although what it waits for is under way.
  void pass_over(Rank& rank) {
    ++passed_over_;
    rank.requests.pass_over();
    events_.schedule(rank.rank, events_.now_s());
  }
  std::int64_t passed_over() const { return passed_over_; }
  /// Calls go_on(number) for each rank that goes on now, and for those that begin to meanwhile.
  template <class GoOn>
  void let_ready_go_on(GoOn&& go_on) {
    for (std::size_t place = 0; place < ready_.size(); ++place)
      go_on(ready_[place]);
    ready_.clear();
  }

 private:
  EventQueue& events_;
  std::vector<Rank> ranks_;
  std::vector<std::size_t> ready_;
  std::int64_t passed_over_ = 0;
};

}  // namespace finegrain::replay
