// SPDX-License-Identifier: MIT
#include "sim/replay/repeats/repeat.hpp"

#include <algorithm>
#include <cmath>

namespace finegrain::replay {
namespace {

constexpr std::size_t longest_period = 32;
// Two periods are compared, and each needs the mark before its first iteration.
constexpr std::size_t marks_to_keep = 2 * longest_period + 1;

}  // namespace

RepeatDetector::RepeatDetector(std::size_t ranks, const RepeatSettings& settings)
    : settings_(settings), marks_(ranks) {}

void RepeatDetector::began(std::size_t rank, double clock_s, std::span<const double> phases_s) {
  marks_[rank].push_back({clock_s, {phases_s.begin(), phases_s.end()}});
}

std::optional<Period> RepeatDetector::finished(std::size_t rank, double clock_s,
                                               std::span<const double> phases_s) {
  auto& marks = marks_[rank];
  if (marks.empty()) marks.push_back({0, std::vector<double>(phases_s.size(), 0)});
  // A program's phases are known when they have been met.
  if (marks.back().phases_s.size() < phases_s.size()) {
    for (Mark& mark : marks)
      mark.phases_s.resize(phases_s.size(), 0);
  }
  marks.push_back({clock_s, {phases_s.begin(), phases_s.end()}});
  const auto ahead =
      static_cast<std::size_t>(first_mark_ + static_cast<std::int64_t>(marks.size()) - 2 - complete_);
  if (ahead == ranks_to_finish_.size()) ranks_to_finish_.push_back(marks_.size());
  if (--ranks_to_finish_[ahead] > 0) return std::nullopt;

  // Iterations are completed in order, since each rank finishes its own in order.
  ranks_to_finish_.pop_front();
  ++complete_;
  const auto period = find_period();
  if (complete_ - first_mark_ + 1 >= static_cast<std::int64_t>(marks_to_keep)) {
    for (auto& each : marks_)
      each.pop_front();
    ++first_mark_;
  }
  return period;
}

std::optional<Period> RepeatDetector::find_period() const {
  for (std::size_t iterations = 1; iterations <= longest_period; ++iterations) {
    if (repeats(iterations)) return period_of(iterations);
  }
  if (settings_.most_iterations &&
      complete_ >= std::max<std::int64_t>(*settings_.most_iterations, marks_to_keep)) {
    Period last = period_of(longest_period);
    last.repeats = false;
    return last;
  }
  return std::nullopt;
}

const RepeatDetector::Mark& RepeatDetector::mark(std::size_t rank, std::size_t iterations_ago) const {
  return marks_[rank][static_cast<std::size_t>(complete_ - first_mark_) - iterations_ago];
}

bool RepeatDetector::repeats(std::size_t iterations) const {
  if (static_cast<std::size_t>(complete_ - first_mark_) < 2 * iterations) return false;
  const double advance_s = mark(0, 0).clock_s - mark(0, iterations).clock_s;
  const auto same = [&](double a, double b) { return std::abs(a - b) <= settings_.tolerance * advance_s; };
  for (std::size_t rank = 0; rank < marks_.size(); ++rank) {
    if (!same(mark(rank, 0).clock_s - mark(rank, iterations).clock_s, advance_s)) return false;
    for (std::size_t ago = 0; ago < iterations; ++ago) {
      const Mark& end = mark(rank, ago);
      const Mark& begin = mark(rank, ago + 1);
      const Mark& earlier_end = mark(rank, ago + iterations);
      const Mark& earlier_begin = mark(rank, ago + iterations + 1);
      if (!same(end.clock_s - begin.clock_s, earlier_end.clock_s - earlier_begin.clock_s)) return false;
      for (std::size_t p = 0; p < end.phases_s.size(); ++p) {
        if (!same(end.phases_s[p] - begin.phases_s[p], earlier_end.phases_s[p] - earlier_begin.phases_s[p])) {
          return false;
        }
      }
    }
  }
  return true;
}

Period RepeatDetector::period_of(std::size_t iterations) const {
  Period period;
  period.iterations = static_cast<std::int64_t>(iterations);
  for (std::size_t rank = 0; rank < marks_.size(); ++rank) {
    const Mark& end = mark(rank, 0);
    const Mark& begin = mark(rank, iterations);
    const double advance_s = end.clock_s - begin.clock_s;
    const double advance_before_s = begin.clock_s - mark(rank, 2 * iterations).clock_s;
    if (advance_s > 0) period.change = std::max(period.change, std::abs(advance_s / advance_before_s - 1));
    period.seconds.push_back(advance_s);
    auto& phases_s = period.phases_s.emplace_back();
    std::transform(end.phases_s.begin(), end.phases_s.end(), begin.phases_s.begin(),
                   std::back_inserter(phases_s), std::minus<>());
  }
  return period;
}

}  // namespace finegrain::replay
