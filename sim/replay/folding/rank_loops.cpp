// SPDX-License-Identifier: MIT
#include "sim/replay/folding/rank_loops.hpp"

#include <algorithm>
#include <cmath>
#include <map>

namespace finegrain::replay {
namespace {

/// Times of a sequence that the calls from one on have.
class Times {
 public:
  explicit Times(const CallSequence& sequence) : sequence_(sequence) {}

  /// The times of the next `calls` calls.
  std::span<const float> next(std::size_t calls) {
    std::size_t count = 0;
    for (const std::size_t end = call_ + calls; call_ < end; ++call_)
      count += sequence_.timed_regions[sequence_.calls[call_]].size();
    const auto times = std::span(sequence_.seconds).subspan(time_, count);
    time_ += count;
    return times;
  }

 private:
  const CallSequence& sequence_;
  std::size_t call_ = 0;
  std::size_t time_ = 0;
};

Segment between(const CallSequence& sequence, Times& times, std::size_t first, std::size_t end) {
  const auto calls = std::span(sequence.calls).subspan(first, end - first);
  const auto seconds = times.next(calls.size());
  return {{calls.begin(), calls.end()}, {seconds.begin(), seconds.end()}};
}

Segment mean_iteration(const CallSequence& sequence, Times& times, const RankLoop& loop) {
  const auto calls = std::span(sequence.calls).subspan(loop.first, loop.period);
  std::vector<double> sums;
  for (std::size_t iteration = 0; iteration < loop.iterations; ++iteration) {
    const auto seconds = times.next(loop.period);
    sums.resize(seconds.size());
    std::ranges::transform(seconds, sums, sums.begin(), std::plus<>());
  }
  Segment segment{{calls.begin(), calls.end()}, {}};
  for (const double sum : sums)
    segment.seconds.push_back(static_cast<float>(sum / static_cast<double>(loop.iterations)));
  return segment;
}

/// The oldest request that a call waits for, as the number of requests made since, before the call.
std::int64_t reach(const Body& body) {
  std::int64_t made = 0;
  std::int64_t furthest = 0;
  for (const Operation& operation : body.operations) {
    if (makes_request(operation)) ++made;
    if (const auto* complete = std::get_if<Complete>(&operation))
      furthest = std::max(furthest, complete->oldest - made);
  }
  return furthest;
}

std::int64_t requests_of(const Body& body) {
  return std::ranges::count_if(body.operations,
                               [](const Operation& operation) { return makes_request(operation); });
}

/// Keeps the bodies that the segments have.
void number_anew(const CallSequence& sequence, FoldedRank& rank) {
  std::map<std::uint32_t, std::uint32_t> places;
  for (Segment& segment : rank.segments) {
    for (std::uint32_t& call : segment.calls) {
      const auto [place, is_new] = places.try_emplace(call, static_cast<std::uint32_t>(rank.bodies.size()));
      if (is_new) {
        rank.bodies.push_back(sequence.bodies[call]);
        rank.timed_regions.push_back(sequence.timed_regions[call]);
      }
      call = place->second;
    }
  }
}

}  // namespace

FoldedRank fold_rank(const CallSequence& sequence, std::span<const RankLoop> loops) {
  FoldedRank rank;
  Times times(sequence);
  std::size_t call = 0;
  for (const RankLoop& loop : loops) {
    rank.segments.push_back(between(sequence, times, call, loop.first));
    rank.segments.push_back(mean_iteration(sequence, times, loop));
    call = loop.end();
  }
  rank.segments.push_back(between(sequence, times, call, sequence.calls.size()));
  number_anew(sequence, rank);
  return rank;
}

std::vector<double> work_of_iterations(const CallSequence& sequence, const RankLoop& loop) {
  Times times(sequence);
  times.next(loop.first);
  std::vector<double> work_s(loop.iterations, 0);
  for (double& iteration_s : work_s) {
    for (const float seconds : times.next(loop.period))
      iteration_s += static_cast<double>(seconds);
  }
  return work_s;
}

std::vector<double> deviations_of_iterations(const CallSequence& sequence, const RankLoop& loop,
                                             std::span<const float> means_s) {
  Times times(sequence);
  times.next(loop.first);
  std::vector<double> deviations_s(loop.iterations, 0);
  for (double& iteration_s : deviations_s) {
    const auto seconds = times.next(loop.period);
    for (std::size_t call = 0; call < seconds.size(); ++call)
      iteration_s += std::abs(static_cast<double>(seconds[call]) - static_cast<double>(means_s[call]));
  }
  return deviations_s;
}

std::vector<float> times_of(const CallSequence& sequence, const RankLoop& loop,
                            std::span<const std::size_t> iterations) {
  Times times(sequence);
  std::size_t call = 0;
  std::vector<float> chosen;
  for (const std::size_t iteration : iterations) {
    const std::size_t first = loop.first + iteration * loop.period;
    times.next(first - call);
    const auto of_iteration = times.next(loop.period);
    chosen.insert(chosen.end(), of_iteration.begin(), of_iteration.end());
    call = first + loop.period;
  }
  return chosen;
}

bool requests_are_closed(const CallSequence& sequence, const RankLoop& loop) {
  std::vector<std::int64_t> made;
  std::vector<std::int64_t> reaches;
  for (const auto& body : sequence.bodies) {
    made.push_back(requests_of(*body));
    reaches.push_back(reach(*body));
  }
  std::int64_t of_iteration = 0;
  for (std::size_t call = loop.first; call < loop.first + loop.period; ++call)
    of_iteration += made[sequence.calls[call]];
  std::int64_t made_since = 0;  // the loop
  for (std::size_t call = loop.first; call < sequence.calls.size(); ++call) {
    const std::uint32_t body = sequence.calls[call];
    if (reaches[body] > made_since + 2 * of_iteration) return false;
    if (call >= loop.end()) made_since += made[body];
  }
  return true;
}

}  // namespace finegrain::replay
