// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <optional>
#include <queue>
#include <utility>
#include <vector>

#include "sim/replay/engine/event_queue.hpp"
#include "sim/replay/engine/rank_state.hpp"

namespace finegrain::replay {

/// The strands that go on beside ranks: collectives that they have posted, and copies. They are numbered
/// after the ranks, and have one source of events together.
class StrandsBeside {
 public:
  /// @param ranks  how many there are
  StrandsBeside(EventQueue& events, std::size_t ranks)
      : events_(events), ranks_(ranks), source_(events.add_source()) {}

  std::size_t source() const { return source_; }
  Strand& operator[](std::size_t number) { return strands_[number - ranks_]; }
  /// A strand of the rank's, without a collective. @returns its number, which may be that of an ended one
  std::size_t add(std::size_t rank);
  void end(std::size_t number) { ended_.push_back(number); }

  /// next_due() gives the number at this time: a strand that goes on, or a rank that has something to look
  /// for.
  void wake(std::size_t number, double at_s);
  /// The next whose time has come; none: the others have an event to come.
  std::optional<std::size_t> next_due();

 private:
  using Wake = std::pair<double, std::size_t>;

  EventQueue& events_;
  std::size_t ranks_;
  std::size_t source_;
  std::deque<Strand> strands_;
  std::vector<std::size_t> ended_;  ///< numbers to use again
  std::priority_queue<Wake, std::vector<Wake>, std::greater<>> wakes_;
};

}  // namespace finegrain::replay
