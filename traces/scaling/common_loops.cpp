// SPDX-License-Identifier: MIT
#include "traces/scaling/common_loops.hpp"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <iterator>
#include <optional>

namespace finegrain::scaling {
namespace {

/// A loop, and those in it, as one rank shows them.
struct Nest {
  Ends ends;
  std::vector<Nest> inner = {};
};

bool contains(const Ends& outer, const Ends& inner) {
  return outer.first <= inner.first && inner.second <= outer.second;
}

bool are_apart(const Ends& a, const Ends& b) {
  return a.second < b.first || b.second < a.first;
}

Ends joined(const Ends& a, const Ends& b) {
  return {std::min(a.first, b.first), std::max(a.second, b.second)};
}

int length(const Ends& ends) {
  return ends.second - ends.first;
}

/// The loops in what one rank repeats. Of two stretches that overlap, the longer one is a part of a loop
/// around both, if the rank repeats that, too; otherwise both are parts of one loop.
std::vector<Nest> nests_of(std::set<Ends> stretches) {
  const auto overlapping = [&]() -> std::optional<std::pair<Ends, Ends>> {
    for (const Ends& a : stretches)
      for (const Ends& b : stretches)
        if (a < b && !are_apart(a, b) && !contains(a, b) && !contains(b, a)) return std::pair(a, b);
    return std::nullopt;
  };
  while (const auto both = overlapping()) {
    const Ends a = both->first;
    const Ends b = both->second;
    const bool is_around = std::ranges::any_of(
        stretches, [&](const Ends& ends) { return contains(ends, a) && contains(ends, b); });
    if (is_around) {
      stretches.erase(length(a) > length(b) ? a : b);
    } else {
      stretches.erase(a);
      stretches.erase(b);
      stretches.insert(joined(a, b));
    }
  }
  std::vector<Ends> sorted(stretches.begin(), stretches.end());
  std::ranges::sort(sorted, std::ranges::greater(), length);
  std::vector<Nest> nests;
  for (const Ends& ends : sorted) {
    std::vector<Nest>* level = &nests;
    for (bool deeper = true; deeper;) {
      deeper = false;
      for (Nest& nest : *level)
        if (contains(nest.ends, ends)) {
          level = &nest.inner;
          deeper = true;
          break;
        }
    }
    level->push_back({ends});
  }
  return nests;
}

/// The places that both have, as a share of those that one of them has.
double likeness(const Ends& a, const Ends& b) {
  if (are_apart(a, b)) return 0;
  const int both = std::min(a.second, b.second) - std::max(a.first, b.first) + 1;
  return static_cast<double>(both) / (length(joined(a, b)) + 1);
}

/// Loops at one level of nesting that are one: some ranks do only a part of it.
struct Group {
  Ends ends;
  std::vector<Ends> of_ranks = {};
  std::vector<std::vector<Nest>> inner = {};  ///< each rank's

  /// Whether a loop is more like those in it, as far as it touches them, than like what it is for any rank.
  bool has_within(const Ends& loop) const {
    double own = 0;
    for (const Ends& of_rank : of_ranks)
      own = std::max(own, likeness(of_rank, loop));
    std::optional<Ends> touched;
    for (const std::vector<Nest>& of_rank : inner)
      for (const Nest& nest : of_rank)
        if (!are_apart(nest.ends, loop)) touched = touched ? joined(*touched, nest.ends) : nest.ends;
    return touched && likeness(*touched, loop) > own;
  }
};

/// Adds the loops that several ranks have in common. What one rank does as the outermost loop may be one that
/// is in a loop of others, if these have it there.
void add_common_loops(const std::vector<std::vector<Nest>>& of_ranks, std::vector<Ends>& loops) {
  std::vector<Nest> all;
  for (const std::vector<Nest>& nests : of_ranks)
    all.insert(all.end(), nests.begin(), nests.end());
  // The longest first, so that a loop is known before those in it.
  std::ranges::stable_sort(all, std::ranges::greater(), [](const Nest& nest) { return length(nest.ends); });
  std::vector<Group> groups;
  for (const Nest& nest : all) {
    const auto group =
        std::ranges::find_if(groups, [&](const Group& known) { return !are_apart(known.ends, nest.ends); });
    if (group == groups.end()) {
      groups.push_back({nest.ends, {nest.ends}, {nest.inner}});
      continue;
    }
    const bool is_within = group->has_within(nest.ends);
    group->ends = joined(group->ends, nest.ends);
    if (!is_within) group->of_ranks.push_back(nest.ends);
    group->inner.push_back(is_within ? std::vector<Nest>{nest} : nest.inner);
  }
  // A group that has grown may overlap another one.
  for (std::size_t a = 0; a < groups.size(); ++a)
    for (std::size_t b = a + 1; b < groups.size();) {
      if (are_apart(groups[a].ends, groups[b].ends)) {
        ++b;
        continue;
      }
      groups[a].ends = joined(groups[a].ends, groups[b].ends);
      std::ranges::move(groups[b].inner, std::back_inserter(groups[a].inner));
      std::ranges::move(groups[b].of_ranks, std::back_inserter(groups[a].of_ranks));
      groups.erase(groups.begin() + static_cast<std::ptrdiff_t>(b));
      b = a + 1;
    }
  for (const Group& group : groups) {
    loops.push_back(group.ends);
    add_common_loops(group.inner, loops);
  }
}

}  // namespace

std::vector<Ends> common_loops(const std::set<std::set<Ends>>& of_ranks) {
  std::vector<std::vector<Nest>> nests;
  for (const std::set<Ends>& stretches : of_ranks)
    nests.push_back(nests_of(stretches));
  std::vector<Ends> loops;
  add_common_loops(nests, loops);
  return loops;
}

}  // namespace finegrain::scaling
