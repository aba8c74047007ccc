// SPDX-License-Identifier: MIT
#include "traces/scaling/rule_search.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <set>
#include <string>
#include <utility>

#include "traces/scaling/predicates.hpp"

namespace finegrain::scaling {
namespace {

constexpr std::size_t many = 512;  ///< samples

/// Some of the samples, from all of them alike.
std::vector<Sample> thinned(std::span<const Sample> samples) {
  std::vector<Sample> some;
  for (std::size_t n = 0; n < many; ++n)
    some.push_back(samples[n * samples.size() / many]);
  return some;
}

/// Finds rules, the lowest tier first. A rule of many samples is one of some of them, too.
struct Find {
  Search search;
  Rules operator()(std::span<const Sample> samples) const {
    Rules rules = samples.size() > many ? search(thinned(samples)) : search(samples);
    if (samples.size() > many)
      std::erase_if(rules, [&](const Rule& rule) { return !fits(rule.value, samples); });
    std::ranges::stable_sort(rules, {}, &Rule::tier);
    return rules;
  }
};

/// The rule without its dimension: "the next in a ring" of "the next in a ring, in dimension 2".
std::string kind_of(const Rule& rule) {
  return rule.text.substr(0, rule.text.find(", in dimension"));
}

/// Where several rules fit a step, that of a kind that another step has is taken: in a grid whose last side
/// has two ranks, the next one is the previous one, too.
void prefer_same_kind(std::vector<Rules>& of_steps) {
  const auto lowest_of = [](const Rules& rules) {
    return std::ranges::count(rules, rules.front().tier, &Rule::tier);
  };
  std::set<std::string> kinds;
  for (const Rules& rules : of_steps)
    if (!rules.empty() && lowest_of(rules) == 1) kinds.insert(kind_of(rules.front()));
  for (Rules& rules : of_steps) {
    if (rules.empty() || lowest_of(rules) == 1) continue;
    const int lowest = rules.front().tier;
    const auto is_known = [&](const Rule& rule) {
      return rule.tier == lowest && kinds.contains(kind_of(rule));
    };
    if (std::ranges::none_of(rules, is_known)) continue;
    for (Rule& rule : rules)
      if (!is_known(rule)) ++rule.tier;
    std::ranges::stable_sort(rules, {}, &Rule::tier);
  }
}

/// A rule for each step of the innermost loop, if it has as many steps everywhere.
Rules rules_by_step(std::span<const Sample> samples, Find find) {
  constexpr std::int64_t most_steps = 256;
  if (loops_around(samples) == 0) return {};
  const std::int64_t steps = samples.front().where->loops[0].steps;
  if (steps > most_steps || steps < 2) return {};
  std::vector<std::vector<Sample>> of_steps(static_cast<std::size_t>(steps));
  for (const Sample& sample : samples) {
    const StepOf& at = sample.where->loops[0];
    if (at.steps != steps) return {};
    of_steps[static_cast<std::size_t>(at.step)].push_back(sample);
  }
  std::vector<Rules> rules;
  for (const std::vector<Sample>& in_step : of_steps) {
    rules.push_back(in_step.empty() ? Rules() : find(in_step));
    if (rules.back().empty() && !in_step.empty()) return {};
  }
  prefer_same_kind(rules);
  // The first rule of each step; and with each of the others in one step.
  constexpr int tier_by_step = 2;
  int tier = tier_by_step;
  for (const Rules& in_step : rules)
    if (!in_step.empty()) tier += in_step.front().tier;
  Rules all;
  const auto add = [&](std::size_t changed, std::size_t alternative) {
    const Rule& other = rules[changed][alternative];
    all.push_back({[rules, steps, changed, alternative](const Where& where) -> Number {
                     if (where.loops[0].steps != steps) return std::nullopt;
                     const auto step = static_cast<std::size_t>(where.loops[0].step);
                     if (rules[step].empty()) return std::nullopt;
                     return rules[step][step == changed ? alternative : 0].value(where);
                   },
                   fmt::format("a rule for each step, {}", other.text),
                   tier - rules[changed].front().tier + other.tier});
  };
  const auto first = std::ranges::find_if(rules, [](const Rules& in_step) { return !in_step.empty(); });
  add(static_cast<std::size_t>(first - rules.begin()), 0);
  for (std::size_t step = 0; step < rules.size(); ++step)
    for (std::size_t alternative = 1; alternative < rules[step].size(); ++alternative)
      add(step, alternative);
  return all;
}

Rules of_two_kinds(std::span<const Sample> samples, Find find, int depth) {
  Rules found;
  constexpr int most_kinds = 4;
  int kinds = 0;
  std::set<std::vector<bool>> known;
  const int loops = depth > 1 ? 0 : loops_around(samples);
  for (const Predicate& predicate : simple_predicates(*samples.front().where, loops)) {
    // The first of three kinds is that at an end.
    if (depth > 1 && predicate.tier > 0) continue;
    std::vector<Sample> inside;
    std::vector<Sample> outside;
    std::vector<bool> holds;
    for (const Sample& sample : samples) {
      holds.push_back(predicate.holds(*sample.where));
      (holds.back() ? inside : outside).push_back(sample);
    }
    // Many predicates hold at the same of these places.
    if (inside.empty() || outside.empty() || !known.insert(holds).second) continue;
    const Rules in = find(inside);
    if (in.empty()) continue;
    Rules out = find(outside);
    if (out.empty() && depth > 1) out = of_two_kinds(outside, find, depth - 1);
    if (out.empty()) continue;
    constexpr int tier_of_kinds = 3;
    const auto add = [&](const Rule& one, const Rule& other) {
      found.push_back({[one = one.value, other = other.value, is_first = predicate.holds](
                           const Where& where) { return is_first(where) ? one(where) : other(where); },
                       fmt::format("{} where {}, otherwise {}", one.text, predicate.text, other.text),
                       one.tier + other.tier + predicate.tier + tier_of_kinds});
    };
    for (const Rule& one : in)
      add(one, out.front());
    for (std::size_t other = 1; other < out.size(); ++other)
      add(in.front(), out[other]);
    if (++kinds == most_kinds) break;
  }
  std::ranges::stable_sort(found, {}, &Rule::tier);
  return found;
}

}  // namespace

Rules rules_of(std::span<const Sample> samples, Search search) {
  const Find find{search};
  Rules rules = find(samples);
  if (rules.empty()) rules = rules_by_step(samples, find);
  if (rules.empty()) rules = of_two_kinds(samples, find, 1);
  if (rules.empty()) rules = of_two_kinds(samples, find, 2);
  return rules;
}

int loops_around(std::span<const Sample> samples) {
  int loops = Where::most_loops;
  for (const Sample& sample : samples)
    loops = std::min(loops, sample.where->depth);
  return loops;
}

Number whole(Wide dividend, Wide divisor) {
  if (divisor == 0 || dividend % divisor != 0) return std::nullopt;
  return static_cast<std::int64_t>(dividend / divisor);
}

Number logarithm(std::int64_t number) {
  if (number < 1 || !std::has_single_bit(static_cast<std::uint64_t>(number))) return std::nullopt;
  return std::countr_zero(static_cast<std::uint64_t>(number));
}

std::int64_t power_of_2(std::int64_t exponent) {
  return std::int64_t{1} << std::clamp<std::int64_t>(exponent, 0, 40);
}

}  // namespace finegrain::scaling
