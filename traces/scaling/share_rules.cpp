// SPDX-License-Identifier: MIT
#include "traces/scaling/share_rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <utility>

namespace finegrain::scaling {
namespace {

constexpr int step_of_loop = -2;  ///< instead of a group of ranks: below all_ranks

/// How elements are spread over the ranks of a group.
using Share = std::int64_t (*)(std::int64_t elements, const InGroup&);
constexpr std::pair<const char*, Share> shares[] = {
    {"the first ranks have one more",
     [](std::int64_t n, const InGroup& in) { return n / in.size + (in.own < n % in.size ? 1 : 0); }},
    {"the last ranks have one more",
     [](std::int64_t n, const InGroup& in) {
       return n / in.size + (in.own >= in.size - n % in.size ? 1 : 0);
     }},
    {"the last rank has what is left",
     [](std::int64_t n, const InGroup& in) {
       return n / in.size + (in.own == in.size - 1 ? n % in.size : 0);
     }},
    {"the last rank has less",
     [](std::int64_t n, const InGroup& in) {
       const std::int64_t block = (n + in.size - 1) / in.size;
       return std::clamp<std::int64_t>(n - block * in.own, 0, block);
     }},
    {"spread evenly",
     [](std::int64_t n, const InGroup& in) { return (in.own + 1) * n / in.size - in.own * n / in.size; }},
};

/// A place in what elements are spread over: in a group of ranks, or in a loop in which one rank hands them
/// out (negative: step_of_loop - the loop).
InGroup place_in(const Where& where, int group) {
  if (group > step_of_loop) return in_group(where, group);
  const StepOf& at = where.loops[static_cast<std::size_t>(step_of_loop - group)];
  return {at.step, at.steps};
}

/// Elements spread over a group; what is left over goes to some of its ranks. What all ranks of the group
/// have together is the same in all recordings. Up to two of them may be missing: a root sends nothing to
/// itself.
void add_shares(int group, std::int64_t without, std::span<const Sample> samples, Rules& rules) {
  constexpr std::int64_t most_missing = 2;
  const auto in_rest = [group, without](const Where& where) {
    const InGroup in = place_in(where, group);
    return InGroup{in.own - without, in.size - without};
  };
  std::map<std::int64_t, std::map<std::int64_t, std::int64_t>> by_size;  // size of the group, place: value
  for (const Sample& sample : samples) {
    const InGroup in = in_rest(*sample.where);
    if (in.own < 0) return;
    const auto known = by_size[in.size].try_emplace(in.own, sample.value);
    if (known.first->second != sample.value) return;
  }
  if (by_size.size() < 2) return;
  const auto& [size, values] = *by_size.rbegin();
  const std::int64_t missing = size - std::ssize(values);
  if (missing > most_missing) return;
  std::int64_t sum = 0;
  std::int64_t least = values.begin()->second;
  for (const auto& of_rank : values) {
    sum += of_rank.second;
    least = std::min(least, of_rank.second);
  }
  for (const std::int64_t element : sizes_of_elements(samples))
    for (std::int64_t more = 0; more <= missing; ++more) {
      const std::int64_t elements = (sum + missing * least) / element + more;
      for (const auto& [text, share] : shares) {
        const auto value = [in_rest, element, elements, share = share](const Where& where) -> Number {
          const InGroup in = in_rest(where);
          return in.own < 0 ? std::nullopt : Number(element * share(elements, in));
        };
        if (fits(value, samples)) rules.push_back({value, fmt::format("a part of a constant; {}", text)});
      }
    }
}

/// The same with a constant more on each rank, as a halo has: (33 points over 2 or 4 ranks, and 2 more) of 16
/// B are 304, 288 B, or 176, 160, 160, 160 B. Two sizes of the group give both constants; a third recording,
/// of whatever sides, confirms them.
void add_shares_and_more(int group, std::span<const Sample> samples, Rules& rules) {
  constexpr std::size_t enough_runs = 3;
  std::map<std::int64_t, std::map<std::int64_t, std::int64_t>> by_size;  // size of the group, place: value
  std::set<int> runs;
  std::int64_t least = samples.front().value;
  for (const Sample& sample : samples) {
    runs.insert(sample.where->ranks());
    const InGroup in = in_group(*sample.where, group);
    const auto known = by_size[in.size].try_emplace(in.own, sample.value);
    if (known.first->second != sample.value) return;
    least = std::min(least, sample.value);
  }
  if (by_size.size() < 2 || runs.size() < enough_runs) return;
  const auto sum_of = [](const auto& values) {
    std::int64_t sum = 0;
    for (const auto& of_rank : values.second)
      sum += of_rank.second;
    return sum;
  };
  for (const auto& values : by_size)
    if (std::ssize(values.second) != values.first) return;
  const auto& few = *by_size.begin();
  const auto& many = *by_size.rbegin();
  const auto more = whole(sum_of(many) - sum_of(few), many.first - few.first);
  // What shrinks is most of it; a constant is what is around it.
  if (!more || *more <= 0 || 2 * *more > least) return;
  const std::int64_t all = sum_of(few) - few.first * *more;
  const bool are_equal = std::ranges::all_of(by_size, [](const auto& values) {
    return std::ranges::all_of(values.second,
                               [&](const auto& one) { return one.second == values.second.begin()->second; });
  });
  const auto add = [&](const Value& value, const char* text) {
    if (fits(value, samples))
      rules.push_back({value, fmt::format("a part of a constant, and another constant; {}", text), 1});
  };
  // Where no rank has more than others, it is not known how the rest of a division is spread.
  if (are_equal)
    return add(
        [=, more = *more](const Where& where) -> Number {
          const auto part = whole(all, in_group(where, group).size);
          return part ? Number(*part + more) : Number();
        },
        "without a rest");
  std::int64_t element = 0;
  for (const Sample& sample : samples)
    element = std::gcd(element, sample.value - *more);
  for (const auto& [text, share] : shares)
    add(
        [=, more = *more, share = share](const Where& where) {
          return Number(more + element * share(all / element, in_group(where, group)));
        },
        text);
}

}  // namespace

std::vector<std::int64_t> sizes_of_elements(std::span<const Sample> samples) {
  std::int64_t common = 0;
  for (const Sample& sample : samples)
    common = std::gcd(common, sample.value);
  std::vector<std::int64_t> sizes;
  for (const std::int64_t size : {common, std::int64_t{8}, std::int64_t{4}, std::int64_t{1}})
    if (size > 0 && common % size == 0 && std::ranges::find(sizes, size) == sizes.end())
      sizes.push_back(size);
  return sizes;
}

Rules share_rules(std::span<const Sample> samples) {
  Rules rules;
  const std::vector<int> groups = groups_of(*samples.front().where);
  for (const int group : groups)
    for (const std::int64_t without : {0, 1})
      add_shares(group, without, samples, rules);
  for (const int group : groups)
    if (rules.empty()) add_shares_and_more(group, samples, rules);
  for (int loop = 0; loop < loops_around(samples) && rules.empty(); ++loop)
    add_shares(step_of_loop - loop, 0, samples, rules);
  return rules;
}

}  // namespace finegrain::scaling
