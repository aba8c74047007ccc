// SPDX-License-Identifier: MIT
// Tells when iterations repeat, so that the others need not be simulated. An example of two ranks, whose
// iterations end at these times:
//
//     rank 0    4    11    18      it took 7 s, and 7 s again
//     rank 1    9    13    20      it took 4 s, and then 7 s
//
// After the third iteration rank 1 has not repeated yet. If the fourth ends at 25 and 27 s, both took what
// they took before: a period of one iteration. Of 1000 iterations the other 996 then take 7 s each. Ranks
// that affect one another every second or third time have longer periods, which are found in the same way.
#include "sim/replay/repeats/repeat.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace finegrain::replay {
namespace {

constexpr std::size_t longest_period = 32;
// Two periods are compared, and each needs the mark before its first iteration.
constexpr std::size_t marks_to_keep = 2 * longest_period + 1;

std::vector<double> difference(const std::vector<double>& to, const std::vector<double>& from) {
  std::vector<double> result = to;
  for (std::size_t i = 0; i < from.size(); ++i)
    result[i] -= from[i];
  return result;
}

PhaseWaits difference(const PhaseWaits& to, const PhaseWaits& from) {
  PhaseWaits result = to;
  result.add(from, -1);
  return result;
}

void add(std::vector<double>& sums, double times, const std::vector<double>& advance) {
  sums.resize(std::max(sums.size(), advance.size()), 0);
  for (std::size_t i = 0; i < advance.size(); ++i)
    sums[i] += times * advance[i];
}

}  // namespace

RankReplay difference(const RankReplay& to, const RankReplay& from) {
  return {to.finish_s - from.finish_s,
          difference(to.phases_s, from.phases_s),
          difference(to.phases_j, from.phases_j),
          difference(to.waits, from.waits),
          to.awaited_s - from.awaited_s,
          difference(to.work_before_s, from.work_before_s)};
}

void add(RankReplay& simulated, double times, const RankReplay& advance) {
  simulated.finish_s += times * advance.finish_s;
  add(simulated.phases_s, times, advance.phases_s);
  add(simulated.phases_j, times, advance.phases_j);
  simulated.waits.add(advance.waits, times);
  simulated.awaited_s += times * advance.awaited_s;
  add(simulated.work_before_s, times, advance.work_before_s);
}

RepeatDetector::RepeatDetector(std::size_t ranks, const RepeatSettings& settings)
    : settings_(settings), marks_(ranks) {}

void RepeatDetector::began(std::size_t rank, const RankReplay& so_far) {
  marks_[rank].push_back(so_far);
}

std::optional<Period> RepeatDetector::finished(std::size_t rank, const RankReplay& so_far) {
  auto& marks = marks_[rank];
  if (marks.empty()) marks.emplace_back();
  // A program's phases are known when they have been met.
  if (marks.back().phases_s.size() < so_far.phases_s.size()) {
    for (RankReplay& mark : marks)
      mark.phases_s.resize(so_far.phases_s.size(), 0);
  }
  marks.push_back(so_far);
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

const RankReplay& RepeatDetector::mark(std::size_t rank, std::size_t iterations_ago) const {
  return marks_[rank][static_cast<std::size_t>(complete_ - first_mark_) - iterations_ago];
}

bool RepeatDetector::repeats(std::size_t iterations) const {
  if (static_cast<std::size_t>(complete_ - first_mark_) < 2 * iterations) return false;
  const double advance_s = mark(0, 0).finish_s - mark(0, iterations).finish_s;
  const auto same = [&](double a, double b) { return std::abs(a - b) <= settings_.tolerance * advance_s; };
  for (std::size_t rank = 0; rank < marks_.size(); ++rank) {
    if (!same(mark(rank, 0).finish_s - mark(rank, iterations).finish_s, advance_s)) return false;
    for (std::size_t ago = 0; ago < iterations; ++ago) {
      const RankReplay& end = mark(rank, ago);
      const RankReplay& begin = mark(rank, ago + 1);
      const RankReplay& earlier_end = mark(rank, ago + iterations);
      const RankReplay& earlier_begin = mark(rank, ago + iterations + 1);
      if (!same(end.finish_s - begin.finish_s, earlier_end.finish_s - earlier_begin.finish_s)) return false;
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
    const RankReplay& begin = mark(rank, iterations);
    RankReplay advance = difference(mark(rank, 0), begin);
    const double advance_s = advance.finish_s;
    const double advance_before_s = begin.finish_s - mark(rank, 2 * iterations).finish_s;
    if (advance_s > 0) period.change = std::max(period.change, std::abs(advance_s / advance_before_s - 1));
    period.advances.push_back(std::move(advance));
  }
  return period;
}

}  // namespace finegrain::replay
