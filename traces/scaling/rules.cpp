// SPDX-License-Identifier: MIT
#include "traces/scaling/rules.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <utility>

namespace finegrain::scaling {
namespace {

using Value = std::optional<std::int64_t>;
/// A number of a step, e.g. how much farther it goes than the first one.
using OfStep = std::function<Value(const Place&)>;

bool depend_on_steps(std::span<const Sample> samples) {
  return std::ranges::any_of(samples, [](const Sample& sample) { return sample.place.steps > 1; });
}

std::vector<Rule> fitting(std::vector<Rule> rules, std::span<const Sample> samples) {
  std::erase_if(rules, [samples](const Rule& rule) {
    return !std::ranges::all_of(samples, [&rule](const Sample& one) { return rule(one.place) == one.value; });
  });
  return rules;
}

/// `of_step`, and the same from the last step to the first.
std::vector<OfStep> both_ways(const OfStep& of_step) {
  return {of_step, [of_step](const Place& place) {
            Place reversed = place;
            reversed.step = place.steps - 1 - place.step;
            return of_step(reversed);
          }};
}

/// 2^step
Value power(const Place& place) {
  constexpr std::int64_t farthest = 40;  // times the ranks, it fits 64 bits
  if (place.step > farthest) return std::nullopt;
  return std::int64_t{1} << place.step;
}

/// How many times as far as in the first step.
std::vector<OfStep> distances(bool steps) {
  std::vector<OfStep> all{[](const Place&) { return Value(1); }};
  if (!steps) return all;
  for (OfStep& distance : both_ways(power))
    all.push_back(std::move(distance));
  for (OfStep& distance : both_ways([](const Place& place) { return Value(place.step + 1); }))
    all.push_back(std::move(distance));
  return all;
}

/// All steps of -2 to 2 in one dimension, and of -1 to 1 in several.
std::vector<std::vector<int>> all_steps(std::size_t dimensions) {
  const int farthest = dimensions == 1 ? 2 : 1;
  std::vector<std::vector<int>> all{{}};
  for (std::size_t d = 0; d < dimensions; ++d) {
    std::vector<std::vector<int>> longer;
    for (const std::vector<int>& begun : all) {
      for (int step = -farthest; step <= farthest; ++step) {
        longer.push_back(begun);
        longer.back().push_back(step);
      }
    }
    all = std::move(longer);
  }
  return all;
}

Value rank_of(const Place& place, std::int64_t rank) {
  return rank >= 0 && rank < place.grid->ranks() ? Value(rank) : std::nullopt;
}

Value other_bits(const Place& place, std::uint64_t bits) {
  return rank_of(place, static_cast<std::int64_t>(static_cast<std::uint64_t>(place.rank) ^ bits));
}

/// One of those that are elsewhere in this dimension only, the first ones first.
Value other_in_turn(const Place& place, std::size_t dimension) {
  const int own = place.grid->place_of(place.rank)[dimension];
  const std::int64_t other = place.step + (place.step >= own ? 1 : 0);
  if (other >= place.grid->sides()[dimension]) return std::nullopt;
  std::vector<int> step(place.grid->sides().size(), 0);
  step[dimension] = 1;
  return place.grid->neighbour(place.rank, step, other - own);
}

/// Products of the grid's sides, one for each set of dimensions, by its bits.
std::int64_t measure(const ProcessGrid& grid, std::size_t dimensions) {
  std::int64_t product = 1;
  for (std::size_t d = 0; d < grid.sides().size(); ++d)
    if ((dimensions >> d & 1) != 0) product *= grid.sides()[d];
  return product;
}

std::size_t measures(const ProcessGrid& grid) {
  return std::size_t{1} << grid.sides().size();
}

/// The logarithm to base 2 of a power of 2.
Value logarithm(std::int64_t number) {
  const auto bits = static_cast<std::uint64_t>(number);
  if (!std::has_single_bit(bits)) return std::nullopt;
  return std::countr_zero(bits);
}

/// value * by / of * 2^bits, if it is whole
Value share(std::int64_t value, std::int64_t by, std::int64_t of, std::int64_t bits) {
  constexpr std::int64_t most_bits = 48;
  if (bits < -most_bits || bits > most_bits) return std::nullopt;
  __extension__ using Wide = __int128;  // values of 30 bits, and measures of 48
  const Wide product = static_cast<Wide>(value) * by << std::max(bits, std::int64_t{0});
  const Wide divisor = static_cast<Wide>(of) << std::max(-bits, std::int64_t{0});
  if (product % divisor != 0 || product / divisor > std::int64_t{1} << 60) return std::nullopt;
  return static_cast<std::int64_t>(product / divisor);
}

/// Linear in what `of` says, through the first sample and the first one that has another. No rule if that is
/// a constant.
Rule linear(std::span<const Sample> samples, const OfStep& of) {
  const Sample& first = samples.front();
  const Value from = of(first.place);
  const auto second = std::ranges::find_if(samples, [&](const Sample& one) { return of(one.place) != from; });
  if (!from || second == samples.end() || !of(second->place) || second->value == first.value)
    return [](const Place&) { return Value(); };
  return [of, start = first.value, from = *from, rise = second->value - first.value,
          width = *of(second->place) - *from](const Place& place) -> Value {
    const Value at = of(place);
    if (!at || (*at - from) * rise % width != 0) return std::nullopt;
    const std::int64_t count = start + (*at - from) * rise / width;
    return count >= 0 ? Value(count) : std::nullopt;
  };
}

}  // namespace

std::vector<Rule> peer_rules(std::span<const Sample> samples) {
  std::vector<Rule> rules;
  const Sample& first = samples.front();
  const bool steps = depend_on_steps(samples);
  for (const OfStep& distance : distances(steps)) {
    for (const std::vector<int>& step : all_steps(first.place.grid->sides().size()))
      rules.emplace_back([step, distance](const Place& place) -> Value {
        const Value far = distance(place);
        if (!far) return std::nullopt;
        return place.grid->neighbour(place.rank, step, *far);
      });
    if (steps)
      rules.emplace_back([distance](const Place& place) -> Value {
        const Value bits = distance(place);
        if (!bits) return std::nullopt;
        return other_bits(place, static_cast<std::uint64_t>(*bits));
      });
  }
  const std::int64_t peer = first.value;
  const std::int64_t from_end = first.place.grid->ranks() - peer;
  rules.emplace_back([peer](const Place& place) { return rank_of(place, peer); });
  rules.emplace_back(
      [from_end](const Place& place) { return rank_of(place, place.grid->ranks() - from_end); });
  rules.emplace_back([](const Place& place) { return Value(place.grid->ranks() - 1 - place.rank); });
  const auto bit = static_cast<std::uint64_t>(first.place.rank ^ peer);
  const auto ranks = static_cast<std::uint64_t>(first.place.grid->ranks());
  if (std::has_single_bit(bit)) {
    rules.emplace_back([bit](const Place& place) { return other_bits(place, bit); });
    if (std::has_single_bit(ranks)) {
      const std::uint64_t part = ranks / bit;
      rules.emplace_back([part](const Place& place) {
        return other_bits(place, static_cast<std::uint64_t>(place.grid->ranks()) / part);
      });
    }
  }
  if (steps) {
    for (const int direction : {-1, 1}) {
      const std::int64_t start = peer - direction * first.place.step;
      rules.emplace_back(
          [start, direction](const Place& place) { return rank_of(place, start + direction * place.step); });
      const std::int64_t end = first.place.grid->ranks() - start;
      rules.emplace_back([end, direction](const Place& place) {
        return rank_of(place, place.grid->ranks() - end + direction * place.step);
      });
    }
    for (std::size_t d = 0; d < first.place.grid->sides().size(); ++d)
      for (const OfStep& others : both_ways([d](const Place& place) { return other_in_turn(place, d); }))
        rules.emplace_back(others);
  }
  return fitting(std::move(rules), samples);
}

std::vector<Rule> size_rules(std::span<const Sample> samples) {
  constexpr std::int64_t largest = std::int64_t{1} << 30;
  if (std::ranges::any_of(samples, [](const Sample& one) { return one.value > largest; })) return {};
  std::vector<int> powers{0};  // of 2, by which it grows with each step
  if (depend_on_steps(samples)) powers = {-3, -2, -1, 0, 1, 2, 3};
  const Place& first = samples.front().place;
  const std::int64_t value = samples.front().value;
  std::vector<Rule> rules;
  const auto add = [&](const std::function<std::int64_t(const ProcessGrid&)>& measure) {
    for (const int power : powers) {
      const auto bits = [power, first](const Place& place) { return power * (place.step - first.step); };
      rules.emplace_back([=, there = measure(*first.grid)](const Place& place) {
        return share(value, there, measure(*place.grid), bits(place));
      });
      rules.emplace_back([=, there = measure(*first.grid)](const Place& place) {
        return share(value, measure(*place.grid), there, bits(place));
      });
    }
  };
  for (std::size_t m = 0; m < measures(*first.grid); ++m)
    add([m](const ProcessGrid& grid) { return measure(grid, m); });
  add([](const ProcessGrid& grid) { return std::int64_t{grid.ranks()} * grid.ranks(); });
  return fitting(std::move(rules), samples);
}

std::vector<Rule> count_rules(std::span<const Sample> samples) {
  const Sample& first = samples.front();
  std::vector<Rule> rules{[count = first.value](const Place&) { return Value(count); }};
  const auto add = [&](const std::function<std::int64_t(const ProcessGrid&)>& measure) {
    rules.push_back(linear(samples, [measure](const Place& place) { return Value(measure(*place.grid)); }));
    rules.push_back(
        linear(samples, [measure](const Place& place) { return logarithm(measure(*place.grid)); }));
  };
  add([](const ProcessGrid& grid) { return std::int64_t{grid.ranks()}; });
  for (std::size_t d = 0; d < first.place.grid->sides().size(); ++d)
    add([d](const ProcessGrid& grid) { return std::int64_t{grid.sides()[d]}; });
  return fitting(std::move(rules), samples);
}

std::vector<Rule> tag_rules(std::span<const Sample> samples) {
  const Sample& first = samples.front();
  std::vector<Rule> rules{[tag = first.value](const Place&) { return Value(tag); }};
  if (depend_on_steps(samples)) {
    for (const OfStep& step : both_ways([](const Place& place) { return Value(place.step); }))
      rules.emplace_back([tag = first.value - *step(first.place), step](const Place& place) {
        return Value(tag + *step(place));
      });
  }
  return fitting(std::move(rules), samples);
}

Answer answer(std::span<const Rule> rules, const Place& place) {
  Answer found;
  for (const Rule& rule : rules) {
    const Value value = rule(place);
    if (!value) continue;
    if (found.outcome == Outcome::known && found.value != *value) return {Outcome::rules_disagree, 0};
    found = {Outcome::known, *value};
  }
  return found;
}

Answer answer_of_all(std::span<const Rule> rules, const Place& place) {
  const Answer found = answer(rules, place);
  const bool all_say_something =
      std::ranges::all_of(rules, [&place](const Rule& rule) { return rule(place).has_value(); });
  if (found.outcome == Outcome::known && !all_say_something) return {Outcome::rules_disagree, 0};
  return found;
}

}  // namespace finegrain::scaling
