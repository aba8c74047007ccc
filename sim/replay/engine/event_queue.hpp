// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <boost/graph/detail/d_ary_heap.hpp>
#include <boost/property_map/property_map.hpp>
#include <cstddef>
#include <functional>
#include <limits>
#include <optional>
#include <vector>

namespace finegrain::replay {

/// What happens next: each of some sources, numbered from 0, has at most one event to come.
class EventQueue {
 public:
  struct Event {
    double time_s;
    std::size_t source;
  };

  EventQueue() : sources_(Growing<double>(times_s_), Growing<std::size_t>(places_)) {}
  EventQueue(const EventQueue&) = delete;
  EventQueue& operator=(const EventQueue&) = delete;

  /// @returns its number
  std::size_t add_source() {
    times_s_.push_back(0);
    places_.push_back(nowhere);
    return times_s_.size() - 1;
  }
  std::size_t sources() const { return times_s_.size(); }
  /// What time it is: that of the event that was taken out last.
  double now_s() const { return now_s_; }

  /// Sets the time of the source's event (infinite: never), unless it already has an earlier one. A source
  /// does not report that its event is postponed: when the event comes, it has to check whether it is due.
  /// Most events are postponed many times.
  void schedule(std::size_t source, double time_s) {
    if (time_s == never) return;
    if (places_[source] == nowhere) {
      times_s_[source] = time_s;
      sources_.push(source);
    } else if (time_s < times_s_[source]) {
      times_s_[source] = time_s;
      sources_.update(source);
    }
  }

  /// Takes out the next event, whose time it is then. Time never goes back.
  std::optional<Event> next() {
    if (sources_.empty()) return std::nullopt;
    const std::size_t source = sources_.top();
    sources_.pop();
    now_s_ = std::max(now_s_, times_s_[source]);
    return Event{times_s_[source], source};
  }
  /// No event comes before this. Infinite where none comes.
  double next_s() const { return sources_.empty() ? never : times_s_[sources_.top()]; }

 private:
  static constexpr double never = std::numeric_limits<double>::infinity();
  static constexpr auto nowhere = static_cast<std::size_t>(-1);  // place of a source that is not in the heap

  /// A vector as the heap wants to see it, which may grow.
  template <class Value>
  struct Growing : boost::put_get_helper<Value&, Growing<Value>> {
    using key_type = std::size_t;
    using value_type = Value;
    using reference = Value&;
    using category = boost::lvalue_property_map_tag;
    explicit Growing(std::vector<Value>& values) : values_(&values) {}
    Value& operator[](std::size_t place) const { return (*values_)[place]; }

   private:
    std::vector<Value>* values_;
  };

  double now_s_ = 0;
  std::vector<double> times_s_;
  std::vector<std::size_t> places_;  ///< in the heap
  boost::d_ary_heap_indirect<std::size_t, 4, Growing<std::size_t>, Growing<double>, std::less<double>>
      sources_;
};

}  // namespace finegrain::replay
