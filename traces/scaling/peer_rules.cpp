// SPDX-License-Identifier: MIT
#include "traces/scaling/peer_rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <functional>
#include <set>
#include <string>
#include <utility>

#include "traces/scaling/number_rules.hpp"
#include "traces/scaling/rule_search.hpp"

namespace finegrain::scaling {
namespace {

/// Another rank's number in a group; nothing if there is none.
using Other = Number (*)(const InGroup&);
using OtherInStep = Number (*)(const InGroup&, const StepOf&);

std::int64_t wrapped(std::int64_t number, std::int64_t size) {
  return (number % size + size) % size;
}

constexpr std::pair<const char*, Other> others[] = {
    {"the mirror image", [](const InGroup& in) { return Number(in.size - 1 - in.own); }},
    {"half of all away", [](const InGroup& in) { return Number(wrapped(in.own + in.size / 2, in.size)); }},
    {"that differs in the highest bit", [](const InGroup& in) { return Number(in.own ^ (in.size / 2)); }},
    {"that differs in the second bit from above",
     [](const InGroup& in) { return Number(in.own ^ (in.size / 4)); }},
    {"the parent in a binary tree",
     [](const InGroup& in) { return Number(in.own == 0 ? -1 : (in.own - 1) / 2); }},
    {"the first child in a binary tree", [](const InGroup& in) { return Number(2 * in.own + 1); }},
    {"the second child in a binary tree", [](const InGroup& in) { return Number(2 * in.own + 2); }},
    {"without its lowest bit",
     [](const InGroup& in) { return Number(in.own == 0 ? -1 : in.own & (in.own - 1)); }},
    {"without its highest bit",
     [](const InGroup& in) {
       return Number(in.own == 0 ? -1
                                 : in.own - static_cast<std::int64_t>(
                                                std::bit_floor(static_cast<std::uint64_t>(in.own))));
     }},
};

constexpr std::pair<const char*, OtherInStep> others_in_step[] = {
    {"2^step more", [](const InGroup& in, const StepOf& at) { return Number(in.own + power_of_2(at.step)); }},
    {"2^step less", [](const InGroup& in, const StepOf& at) { return Number(in.own - power_of_2(at.step)); }},
    {"2^step on", [](const InGroup& in,
                     const StepOf& at) { return Number(wrapped(in.own + power_of_2(at.step), in.size)); }},
    {"2^step back", [](const InGroup& in,
                       const StepOf& at) { return Number(wrapped(in.own - power_of_2(at.step), in.size)); }},
    {"2^step from the end more",
     [](const InGroup& in, const StepOf& at) { return Number(in.own + power_of_2(at.steps - 1 - at.step)); }},
    {"2^step from the end less",
     [](const InGroup& in, const StepOf& at) { return Number(in.own - power_of_2(at.steps - 1 - at.step)); }},
    {"2^step from the end on",
     [](const InGroup& in, const StepOf& at) {
       return Number(wrapped(in.own + power_of_2(at.steps - 1 - at.step), in.size));
     }},
    {"2^step from the end back",
     [](const InGroup& in, const StepOf& at) {
       return Number(wrapped(in.own - power_of_2(at.steps - 1 - at.step), in.size));
     }},
    {"that differs in bit step",
     [](const InGroup& in, const StepOf& at) { return Number(in.own ^ power_of_2(at.step)); }},
    {"that differs in bit step from the end",
     [](const InGroup& in, const StepOf& at) { return Number(in.own ^ power_of_2(at.steps - 1 - at.step)); }},
    {"that differs in bit step from above",
     [](const InGroup& in, const StepOf& at) {
       return Number(in.own ^ (in.size / power_of_2(at.step + 1)));
     }},
    {"size / 2^(step + 1) more",
     [](const InGroup& in, const StepOf& at) { return Number(in.own + in.size / power_of_2(at.step + 1)); }},
    {"size / 2^(step + 1) less",
     [](const InGroup& in, const StepOf& at) { return Number(in.own - in.size / power_of_2(at.step + 1)); }},
    {"that differs by step + 1",
     [](const InGroup& in, const StepOf& at) { return Number(in.own ^ (at.step + 1)); }},
    {"that differs by steps - step",
     [](const InGroup& in, const StepOf& at) { return Number(in.own ^ (at.steps - at.step)); }},
    {"that differs by step", [](const InGroup& in, const StepOf& at) { return Number(in.own ^ at.step); }},
    {"step + 1 on",
     [](const InGroup& in, const StepOf& at) { return Number(wrapped(in.own + at.step + 1, in.size)); }},
    {"step + 1 back",
     [](const InGroup& in, const StepOf& at) { return Number(wrapped(in.own - at.step - 1, in.size)); }},
    {"step on",
     [](const InGroup& in, const StepOf& at) { return Number(wrapped(in.own + at.step, in.size)); }},
    {"step back",
     [](const InGroup& in, const StepOf& at) { return Number(wrapped(in.own - at.step, in.size)); }},
    {"step + 1 more", [](const InGroup& in, const StepOf& at) { return Number(in.own + at.step + 1); }},
    {"step + 1 less", [](const InGroup& in, const StepOf& at) { return Number(in.own - at.step - 1); }},
    {"steps - step more",
     [](const InGroup& in, const StepOf& at) { return Number(in.own + at.steps - at.step); }},
    {"steps - step less",
     [](const InGroup& in, const StepOf& at) { return Number(in.own - at.steps + at.step); }},
    {"of this step", [](const InGroup& in, const StepOf& at) { return Number(wrapped(at.step, in.size)); }},
    {"of this step from the end",
     [](const InGroup& /*in*/, const StepOf& at) { return Number(at.steps - 1 - at.step); }},
    {"of the next step", [](const InGroup& /*in*/, const StepOf& at) { return Number(at.step + 1); }},
    {"of the next step from the end",
     [](const InGroup& /*in*/, const StepOf& at) { return Number(at.steps - at.step); }},
    {"of this step, without itself",
     [](const InGroup& in, const StepOf& at) { return Number(at.step < in.own ? at.step : at.step + 1); }},
    {"of this step from the end, without itself",
     [](const InGroup& in, const StepOf& at) {
       const std::int64_t step = at.steps - 1 - at.step;
       return Number(step < in.own ? step : step + 1);
     }},
    {"mirrored in the steps",
     [](const InGroup& in, const StepOf& at) { return Number(wrapped(at.step - in.own, in.size)); }},
    {"the first of its block of 2^(step + 1)",
     [](const InGroup& in, const StepOf& at) { return Number(in.own - in.own % power_of_2(at.step + 1)); }},
    {"the first of its block of size / 2^step",
     [](const InGroup& in, const StepOf& at) {
       return Number(in.own - in.own % std::max<std::int64_t>(1, in.size / power_of_2(at.step)));
     }},
};

using OtherInSteps = Number (*)(const InGroup&, const StepOf& inner, const StepOf& outer);
constexpr std::pair<const char*, OtherInSteps> others_in_steps[] = {
    {"that differs in the bit of both steps",
     [](const InGroup& in, const StepOf& inner, const StepOf& outer) {
       return outer.step < inner.step ? Number() : Number(in.own ^ power_of_2(outer.step - inner.step));
     }},
    {"in its block of size / 2^step",
     [](const InGroup& in, const StepOf& inner, const StepOf& outer) {
       const std::int64_t block = std::max<std::int64_t>(1, in.size / power_of_2(outer.step));
       return Number(in.own - in.own % block + inner.step + 1);
     }},
};

void add_if_fitting(const Value& value, const std::string& text, int tier, std::span<const Sample> samples,
                    Rules& rules) {
  if (fits(value, samples)) rules.push_back({value, text, tier});
}

/// The number of a rank in a group of the place; nothing if it is not in it.
Number number_in_group(const Where& where, int group, std::int64_t rank) {
  if (rank < 0 || rank >= where.ranks()) return std::nullopt;
  if (group == all_ranks) return rank;
  std::vector<int> place = where.grid().place_of(static_cast<int>(rank));
  const int own = place[static_cast<std::size_t>(group)];
  place[static_cast<std::size_t>(group)] = where.at->place[static_cast<std::size_t>(group)];
  if (place != where.at->place) return std::nullopt;
  return own;
}

Value in_the_group(int group, std::function<Number(const InGroup&, const Where&)> other) {
  return [group, other = std::move(other)](const Where& where) -> Number {
    const Number number = other(in_group(where, group), where);
    return number ? rank_in_group(where, group, *number) : std::nullopt;
  };
}

void add_rules_in_group(int group, std::span<const Sample> samples, Rules& rules) {
  const Where& first = *samples.front().where;
  const Number other = number_in_group(first, group, samples.front().value);
  if (!other) return;
  const InGroup in = in_group(first, group);
  const std::string name = group == all_ranks ? "" : fmt::format(", in dimension {}", group + 1);
  const auto add = [&](const std::string& text, int tier,
                       const std::function<Number(const InGroup&, const Where&)>& value) {
    add_if_fitting(in_the_group(group, value), text + name, tier, samples, rules);
  };
  constexpr std::int64_t most_fixed = 3;
  if (*other <= most_fixed || group == all_ranks)
    add("a fixed rank", group == all_ranks ? 0 : 1,
        [number = *other](const InGroup&, const Where&) { return Number(number); });
  if (in.size - *other <= most_fixed)
    add("a fixed rank from the last", group == all_ranks ? 0 : 1,
        [back = in.size - *other](const InGroup& of, const Where&) { return Number(of.size - back); });
  for (const auto& [text, value] : others)
    add(text, 1, [value = value](const InGroup& of, const Where&) { return value(of); });
  const std::int64_t bits = *other ^ in.own;
  if (bits > 0 && bits <= 8 && logarithm(bits))
    add("that differs in a bit", 1,
        [bits](const InGroup& of, const Where&) { return Number(of.own ^ bits); });
  std::vector<std::int64_t> steps{*other - in.own, *other - in.own + in.size, *other - in.own - in.size};
  std::ranges::sort(steps, {}, [](std::int64_t step) { return std::abs(step); });
  std::int64_t nearest = most_fixed;
  bool is_open = false;  // no rank at an end has this neighbour
  for (const bool ring : {false, true})
    for (const std::int64_t step : steps) {
      if (step == 0 || std::abs(step) > nearest || (is_open && ring)) continue;
      const std::size_t known = rules.size();
      const char* const side = step > 0 ? "next" : "previous";
      add(fmt::format("{}the {}{}", std::abs(step) == 1 ? "" : fmt::format("{} times ", std::abs(step)), side,
                      ring ? " in a ring" : ""),
          std::abs(step) == 1 ? 0 : 1, [step, ring](const InGroup& of, const Where&) {
            return Number(ring ? wrapped(of.own + step, of.size) : of.own + step);
          });
      if (rules.size() == known) continue;
      nearest = std::abs(step);
      is_open = !ring;
    }
}

void add_rules_in_steps(int group, int loops, std::span<const Sample> samples, Rules& rules) {
  if (!number_in_group(*samples.front().where, group, samples.front().value)) return;
  const std::string name = group == all_ranks ? "" : fmt::format(", in dimension {}", group + 1);
  for (std::size_t loop = 0; loop < static_cast<std::size_t>(loops); ++loop)
    for (const auto& [text, value] : others_in_step)
      add_if_fitting(in_the_group(group,
                                  [loop, value = value](const InGroup& of, const Where& where) {
                                    return value(of, where.loops[loop]);
                                  }),
                     text + name, 1, samples, rules);
  if (loops < 2) return;
  for (const auto& [text, value] : others_in_steps)
    add_if_fitting(in_the_group(group,
                                [value = value](const InGroup& of, const Where& where) {
                                  return value(of, where.loops[0], where.loops[1]);
                                }),
                   text + name, 1, samples, rules);
}

/// A neighbour in several dimensions, open or closed.
void add_neighbours(std::span<const Sample> samples, Rules& rules) {
  const Where& first = *samples.front().where;
  if (first.grid().dimensions() == 1) return;
  const std::vector<int> place = first.grid().place_of(static_cast<int>(samples.front().value));
  std::vector<std::vector<int>> candidates{{}};
  for (std::size_t d = 0; d < place.size(); ++d) {
    const int side = first.grid().sides()[d];
    const int step = place[d] - first.at->place[d];
    std::vector<std::vector<int>> longer;
    for (const int near : std::set<int>{step, step + side, step - side}) {
      if (std::abs(near) > 2 || (step == 0 && near != 0)) continue;
      for (std::vector<int> steps : candidates) {
        steps.push_back(near);
        longer.push_back(std::move(steps));
      }
    }
    candidates = std::move(longer);
  }
  const auto distance = [](const std::vector<int>& steps) {
    int sum = 0;
    for (const int step : steps)
      sum += std::abs(step);
    return sum;
  };
  std::ranges::sort(candidates, {}, distance);
  std::optional<int> nearest;
  bool is_open = false;
  for (const bool ring : {false, true})
    for (const std::vector<int>& steps : candidates) {
      // In one dimension it is a neighbour in a group.
      if (std::ssize(steps) - std::ranges::count(steps, 0) < 2 || (is_open && ring) ||
          distance(steps) > nearest.value_or(distance(steps)))
        continue;
      const std::size_t known = rules.size();
      add_if_fitting(
          [steps, ring](const Where& where) -> Number {
            for (std::size_t d = 0; d < steps.size() && !ring; ++d) {
              const int along = where.at->place[d] + steps[d];
              if (along < 0 || along >= where.grid().sides()[d]) return std::nullopt;
            }
            return where.grid().neighbour(where.rank(), steps);
          },
          fmt::format("a neighbour ({})", fmt::join(steps, ", ")), 0, samples, rules);
      if (rules.size() == known) continue;
      nearest = distance(steps);
      is_open = !ring;
    }
}

/// The rank that has the transposed block of a matrix. If one side is k times as long as the other, k ranks
/// that are next to each other along it hold a square block; then place (r, c) is transposed to that of
/// (c / k, k r + c % k). On 2 x 4 ranks, (0, 3) is transposed to (1, 1).
Number transposed(const Where& where) {
  const int rows = where.grid().sides()[0];
  const int columns = where.grid().sides()[1];
  const int row = where.at->place[0];
  const int column = where.at->place[1];
  if (columns % rows == 0) {
    const int more = columns / rows;
    return where.grid().rank_at({column / more, more * row + column % more});
  }
  if (rows % columns != 0) return std::nullopt;
  const int more = rows / columns;
  return where.grid().rank_at({more * column + row % more, row / more});
}

Rules simple_peer_rules(std::span<const Sample> samples) {
  if (std::ranges::any_of(samples, [](const Sample& sample) {
        return sample.value < 0 || sample.value >= sample.where->ranks();
      }))
    return number_rules(samples);
  Rules rules;
  const Where& like = *samples.front().where;
  const int loops = loops_around(samples);
  add_if_fitting([](const Where& where) { return Number(where.rank()); }, "itself", 0, samples, rules);
  if (!rules.empty()) return rules;
  for (const int group : groups_of(like))
    add_rules_in_group(group, samples, rules);
  add_neighbours(samples, rules);
  if (like.grid().dimensions() == 2)
    add_if_fitting(transposed, "with its places exchanged", 1, samples, rules);
  if (!rules.empty()) return rules;
  for (const int group : groups_of(like))
    add_rules_in_steps(group, loops, samples, rules);
  return rules;
}

}  // namespace

std::vector<Rule> peer_rules(std::span<const Sample> samples) {
  return rules_of(samples, simple_peer_rules);
}

}  // namespace finegrain::scaling
