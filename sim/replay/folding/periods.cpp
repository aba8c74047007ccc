// SPDX-License-Identifier: MIT
// Finds loops in a sequence of calls, each of which is a number. An example:
//
//     calls   1 | 2 3 3 | 2 3 3 | 2 3 3 | ... | 4
//
// The rarest kind of call is looked at first, because a call that a loop makes once in an iteration shows its
// period directly: here 2, which is met every 3 calls. Around one of them, the sequence is equal to itself 3
// calls later; how far it is equal says where the loop begins and ends. What saves most is taken, and the
// calls before and after it are searched in the same way.
#include "sim/replay/folding/periods.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace finegrain::replay {
namespace {

// Loops of one program, kinds of call that are looked at for each, and distances between two of a kind: a
// search takes about as long as reading the sequence some dozens of times.
constexpr std::size_t most_loops = 8;
constexpr std::size_t most_anchors = 32;
constexpr std::size_t most_distances = 64;

/// How far the calls around a place are equal to those a period later.
PeriodicCalls extend(std::span<const std::uint32_t> calls, std::size_t place, std::size_t period) {
  std::size_t first = place;
  while (first > 0 && calls[first - 1] == calls[first - 1 + period])
    --first;
  std::size_t last = place;
  while (last + period < calls.size() && calls[last] == calls[last + period])
    ++last;
  return {first, period, last + period - first};
}

/// Calls that a folding leaves out, about.
std::size_t saved(const PeriodicCalls& loop) {
  return loop.count() < fewest_iterations ? 0 : loop.length - loop.period;
}

/// Kinds of call and where each occurs. The rarest come first: a call that a loop makes once per iteration
/// shows its period directly.
std::vector<std::vector<std::size_t>> anchors(std::span<const std::uint32_t> calls) {
  std::vector<std::size_t> counts(*std::ranges::max_element(calls) + std::size_t{1}, 0);
  for (const std::uint32_t call : calls)
    ++counts[call];
  std::vector<std::pair<std::size_t, std::uint32_t>> kinds;
  for (std::size_t call = 0; call < counts.size(); ++call)
    if (counts[call] >= fewest_iterations) kinds.emplace_back(counts[call], call);
  std::ranges::sort(kinds);
  if (kinds.size() > most_anchors) {
    // Some of any frequency.
    std::vector<std::pair<std::size_t, std::uint32_t>> some;
    for (std::size_t i = 0; i < most_anchors; ++i)
      some.push_back(kinds[i * kinds.size() / most_anchors]);
    kinds = std::move(some);
  }
  std::vector<std::vector<std::size_t>> places;
  for (const auto& [count, kind] : kinds) {
    // From the middle one on.
    auto& of_kind = places.emplace_back();
    std::size_t met = 0;
    for (std::size_t place = 0; place < calls.size() && of_kind.size() <= most_distances; ++place) {
      if (calls[place] == kind && met++ >= count / 2) of_kind.push_back(place);
    }
  }
  return places;
}

std::optional<PeriodicCalls> longest_loop(std::span<const std::uint32_t> calls) {
  std::optional<PeriodicCalls> longest;
  for (const std::vector<std::size_t>& places : anchors(calls)) {
    const std::size_t from = places.front();
    for (std::size_t other = 1; other < places.size(); ++other) {
      const std::size_t period = places[other] - from;
      const bool is_known = longest && period % longest->period == 0 && from >= longest->first &&
                            from + period < longest->end();
      if (is_known || period * fewest_iterations > calls.size()) continue;
      const PeriodicCalls loop = extend(calls, from, period);
      if (saved(loop) > (longest ? saved(*longest) : 0)) longest = loop;
    }
  }
  return longest;
}

/// Adds the loops between two places, unless they leave out less than a hundredth of all calls.
void add_loops(std::span<const std::uint32_t> calls, std::size_t from, std::size_t to,
               std::vector<PeriodicCalls>& loops) {
  if (loops.size() == most_loops || to - from < fewest_iterations) return;
  auto loop = longest_loop(calls.subspan(from, to - from));
  if (!loop || 100 * saved(*loop) < calls.size()) return;
  loop->first += from;
  loops.push_back(*loop);
  add_loops(calls, from, loop->first, loops);
  add_loops(calls, loop->end(), to, loops);
}

}  // namespace

std::vector<PeriodicCalls> find_loops(std::span<const std::uint32_t> calls) {
  std::vector<PeriodicCalls> loops;
  add_loops(calls, 0, calls.size(), loops);
  std::ranges::sort(loops, {}, &PeriodicCalls::first);
  return loops;
}

}  // namespace finegrain::replay
