// SPDX-License-Identifier: MIT
#include "traces/scaling/number_rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <utility>

#include "traces/scaling/rule_search.hpp"

namespace finegrain::scaling {
namespace {

__extension__ using Wide = __int128;  // products of sizes and ranks

/// A quantity that others may be a multiple or a part of.
struct Term {
  Value value;
  std::string text;
  int tier = 0;  ///< as that of a rule
};

std::optional<std::int64_t> power(std::int64_t base, std::int64_t exponent) {
  if (exponent < 0 || exponent > 20) return std::nullopt;
  std::int64_t result = 1;
  for (; exponent > 0; --exponent)
    result *= base;
  return result;
}

/// Ranks, sides of the grid, and products of sides.
std::vector<Term> terms_of_ranks(const Where& like) {
  std::vector<Term> terms{{[](const Where& where) { return std::int64_t{where.ranks()}; }, "ranks"}};
  const auto dimensions = static_cast<std::size_t>(like.grid().dimensions());
  for (std::size_t d = 0; d < dimensions && dimensions > 1; ++d)
    terms.push_back({[d](const Where& where) { return std::int64_t{where.grid().sides()[d]}; },
                     fmt::format("side {}", d + 1), 1});
  for (std::size_t d = 0; d < dimensions && dimensions > 2; ++d)
    terms.push_back(
        {[d](const Where& where) { return std::int64_t{where.ranks() / where.grid().sides()[d]}; },
         fmt::format("sides other than {}", d + 1), 2});
  for (std::size_t d = 0; d < dimensions && dimensions > 1; ++d)
    terms.push_back(
        {[d](const Where& where) { return std::int64_t{where.ranks()} * where.grid().sides()[d]; },
         fmt::format("ranks x side {}", d + 1), 2});
  return terms;
}

std::vector<Term> logarithms_of(const std::vector<Term>& terms) {
  std::vector<Term> logarithms;
  for (const Term& term : terms)
    logarithms.push_back({[of = term.value](const Where& where) { return logarithm(*of(where)); },
                          fmt::format("log2 {}", term.text), term.tier});
  return logarithms;
}

std::vector<Term> squares_of(const std::vector<Term>& terms) {
  std::vector<Term> squares;
  for (const Term& term : terms)
    squares.push_back({[of = term.value](const Where& where) { return *of(where) * *of(where); },
                       fmt::format("{}^2", term.text), term.tier});
  return squares;
}

std::vector<Term> terms_of_steps(int loops) {
  std::vector<Term> terms;
  for (std::size_t loop = 0; loop < static_cast<std::size_t>(loops); ++loop) {
    terms.push_back({[loop](const Where& where) { return std::optional(where.loops[loop].step); }, "step"});
    terms.push_back({[loop](const Where& where) {
                       return std::optional(where.loops[loop].steps - 1 - where.loops[loop].step);
                     },
                     "step from the end"});
    if (loop > 0)
      terms.push_back({[loop](const Where& where) { return std::optional(where.loops[loop].steps); },
                       "steps of the loop around"});
  }
  return terms;
}

std::vector<Term> powers_of(const std::vector<Term>& steps) {
  std::vector<Term> powers;
  for (const Term& step : steps)
    for (const std::int64_t base : {2, 4, 8})
      powers.push_back({[base, of = step.value](const Where& where) { return power(base, *of(where)); },
                        fmt::format("{}^{}", base, step.text)});
  return powers;
}

std::vector<Term> terms_of_places(const Where& like) {
  std::vector<Term> terms;
  for (const int group : groups_of(like)) {
    terms.push_back(
        {[group](const Where& where) { return std::optional(in_group(where, group).own); }, "place", 2});
    terms.push_back({[group](const Where& where) {
                       const InGroup in = in_group(where, group);
                       return std::optional(in.size - 1 - in.own);
                     },
                     "place from the end", 2});
    const auto lowest_bit = [group](const Where& where) {
      const InGroup in = in_group(where, group);
      return in.own == 0 ? in.size : in.own & -in.own;
    };
    terms.push_back({[=](const Where& where) { return std::optional(lowest_bit(where)); },
                     "the lowest bit of its place", 1});
    terms.push_back({[=](const Where& where) { return logarithm(lowest_bit(where)); },
                     "the zeros at the end of its place", 1});
  }
  return terms;
}

/// The values of a term at all samples; nothing if it has none at one of them.
std::optional<std::vector<std::int64_t>> values_of(const Value& term, std::span<const Sample> samples) {
  std::vector<std::int64_t> values;
  for (const Sample& sample : samples) {
    const std::optional<std::int64_t> value = term(*sample.where);
    if (!value) return std::nullopt;
    values.push_back(*value);
  }
  return values;
}

std::optional<std::int64_t> whole(Wide dividend, Wide divisor) {
  if (divisor == 0 || dividend % divisor != 0) return std::nullopt;
  return static_cast<std::int64_t>(dividend / divisor);
}

/// Whether a term has so many values in the samples.
bool has_different(const Value& term, std::size_t count, std::span<const Sample> samples) {
  std::set<std::int64_t> values;
  for (const Sample& sample : samples) {
    values.insert(term(*sample.where).value_or(0));
    if (values.size() >= count) return true;
  }
  return false;
}

/// Adds the rule if it fits, and the term has so many values in the samples.
void add_confirmed(Rule rule, const Value& term, std::size_t different, std::span<const Sample> samples,
                   Rules& rules) {
  if (fits(rule.value, samples) && has_different(term, different, samples)) rules.push_back(std::move(rule));
}

/// numerator / denominator times the term.
void add_multiple(const Term& term, std::span<const Sample> samples, Rules& rules) {
  const auto known = std::ranges::find_if(samples, [&](const Sample& sample) {
    const auto value = term.value(*sample.where);
    return !value || *value != 0;
  });
  if (known == samples.end() || known->value == 0) return;
  const auto denominator = term.value(*known->where);
  if (!denominator) return;
  add_confirmed({[numerator = Wide{known->value}, denominator = *denominator,
                  of = term.value](const Where& where) -> std::optional<std::int64_t> {
                   const auto value = of(where);
                   if (!value) return std::nullopt;
                   return whole(numerator * *value, denominator);
                 },
                 fmt::format("proportional to {}", term.text), term.tier},
                term.value, 2, samples, rules);
}

/// A constant, divided by the term.
void add_part(const Term& term, std::span<const Sample> samples, Rules& rules) {
  const auto first = term.value(*samples[0].where);
  if (!first || *first * samples[0].value == 0) return;
  add_confirmed({[constant = Wide{samples[0].value} * *first,
                  of = term.value](const Where& where) -> std::optional<std::int64_t> {
                   const auto value = of(where);
                   if (!value || *value == 0) return std::nullopt;
                   return whole(constant, *value);
                 },
                 fmt::format("a constant / {}", term.text), term.tier},
                term.value, 2, samples, rules);
}

/// A straight line, of the term or of 1 / term: only if a third value confirms it.
void add_line(const Term& term, bool of_inverse, std::span<const Sample> samples, Rules& rules) {
  const auto first = term.value(*samples[0].where);
  if (!first) return;
  const auto other = std::ranges::find_if(samples, [&](const Sample& sample) {
    const auto value = term.value(*sample.where);
    return !value || *value != *first;
  });
  if (other == samples.end() || other->value == samples[0].value) return;
  const auto second = term.value(*other->where);
  if (!second || (of_inverse && (*first == 0 || *second == 0))) return;
  const Wide x0 = *first;
  const Wide x1 = *second;
  const Wide v0 = samples[0].value;
  const Wide v1 = other->value;
  // v = v0 + (v1 - v0) (x - x0) / (x1 - x0); of the inverse, with x = 1 / term.
  const Wide numerator = of_inverse ? (v1 - v0) * x1 : v1 - v0;
  const Wide denominator = of_inverse ? x0 - x1 : x1 - x0;
  add_confirmed(
      {[=, of = term.value](const Where& where) -> std::optional<std::int64_t> {
         const auto value = of(where);
         if (!value || (of_inverse && *value == 0)) return std::nullopt;
         const Wide x = *value;
         const auto more =
             whole(numerator * (of_inverse ? x0 - x : x - x0), of_inverse ? denominator * x : denominator);
         if (!more || v0 + *more < 0) return std::nullopt;
         return static_cast<std::int64_t>(v0) + *more;
       },
       fmt::format("{} {}, and a constant", of_inverse ? "a constant /" : "proportional to", term.text),
       term.tier},
      term.value, 3, samples, rules);
}

/// One less than the term: all others.
void add_others(const Term& term, std::span<const Sample> samples, Rules& rules) {
  add_confirmed({[of = term.value](const Where& where) -> Number {
                   const auto value = of(where);
                   if (!value) return std::nullopt;
                   return *value - 1;
                 },
                 fmt::format("{} - 1", term.text), term.tier},
                term.value, 2, samples, rules);
}

/// A multiple or part of one term, and of a power of the step.
void add_products(const std::vector<Term>& terms, const std::vector<Term>& powers,
                  std::span<const Sample> samples, Rules& rules) {
  struct Factor {
    Value value;
    bool inverse;
    std::string text;
    int tier;
  };
  std::vector<Factor> first{
      {[](const Where&) { return std::optional<std::int64_t>(1); }, false, "a constant", 0}};
  for (const Term& term : terms)
    for (const bool inverse : {false, true})
      first.push_back({term.value, inverse, (inverse ? "1 / " : "") + term.text, term.tier});
  for (const Factor& one : first)
    for (const Term& step : powers)
      for (const bool falls : {false, true}) {
        const auto share = [one, step, falls](const Where& where) -> std::optional<std::pair<Wide, Wide>> {
          const auto of_one = one.value(where);
          const auto of_step = step.value(where);
          if (!of_one || !of_step || *of_one == 0 || *of_step == 0) return std::nullopt;
          std::pair<Wide, Wide> above_and_below{1, 1};
          (one.inverse ? above_and_below.second : above_and_below.first) *= *of_one;
          (falls ? above_and_below.second : above_and_below.first) *= *of_step;
          return above_and_below;
        };
        const auto known = share(*samples[0].where);
        const Wide v0 = samples[0].value;
        if (!known || v0 == 0) continue;
        add_confirmed({[=](const Where& where) -> std::optional<std::int64_t> {
                         const auto here = share(where);
                         if (!here) return std::nullopt;
                         return whole(v0 * known->second * here->first, known->first * here->second);
                       },
                       fmt::format("{} x {}{}", one.text, falls ? "1 / " : "", step.text), one.tier},
                      step.value, 2, samples, rules);
      }
}

/// A straight line of the step, whose constant and slope are multiples of powers of the ranks.
void add_lines_by_ranks(const Term& term, const Term& step, std::span<const Sample> samples, Rules& rules) {
  // v P^2 = a P^i + b k P^j, with the term P and the step k.
  const auto parts = [=](const Where& where, int i, int j) -> std::optional<std::pair<Wide, Wide>> {
    const auto p = term.value(where);
    const auto k = step.value(where);
    if (!p || !k || *p == 0) return std::nullopt;
    const auto to = [&](int exponent) {
      Wide result = 1;
      for (; exponent > 0; --exponent)
        result *= *p;
      return result;
    };
    return std::pair(to(i), *k * to(j));
  };
  for (const int i : {2, 1, 0})
    for (const int j : {2, 1, 0}) {
      const auto one = parts(*samples[0].where, i, j);
      if (!one) return;
      const auto v_of = [&](const Sample& sample) {
        const Wide p = *term.value(*sample.where);
        return Wide{sample.value} * p * p;
      };
      const auto other = std::ranges::find_if(samples, [&](const Sample& sample) {
        const auto here = parts(*sample.where, i, j);
        return !here || one->first * here->second != one->second * here->first;
      });
      if (other == samples.end()) continue;
      const auto two = parts(*other->where, i, j);
      if (!two) return;
      const Wide v1 = v_of(samples[0]);
      const Wide v2 = v_of(*other);
      const Wide divisor = one->first * two->second - one->second * two->first;
      const Wide a = v1 * two->second - v2 * one->second;  // times the divisor
      const Wide b = v2 * one->first - v1 * two->first;
      if (a == 0 || b == 0) continue;
      add_confirmed({[=](const Where& where) -> Number {
                       const auto here = parts(where, i, j);
                       if (!here) return std::nullopt;
                       const Wide p = *term.value(where);
                       const Number value = whole(a * here->first + b * here->second, divisor * p * p);
                       return value && *value >= 0 ? value : std::nullopt;
                     },
                     fmt::format("a line of the {}, by powers of {}", step.text, term.text), term.tier},
                    step.value, 3, samples, rules);
    }
}

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

/// Elements divided by a term, rounded down or up. The number of elements is known within limits only.
void add_rounded(const Term& term, std::int64_t element, std::span<const Sample> samples, Rules& rules) {
  const auto terms = values_of(term.value, samples);
  if (!terms || !has_different(term.value, 3, samples)) return;
  for (const bool up : {false, true}) {
    Wide least = 0;
    Wide most = Wide{1} << 60;
    for (std::size_t i = 0; i < samples.size(); ++i) {
      const Wide count = samples[i].value / element;
      const Wide divisor = (*terms)[i];
      if (divisor <= 0) return;
      least = std::max(least, up ? (count - 1) * divisor + 1 : count * divisor);
      most = std::min(most, up ? count * divisor : (count + 1) * divisor - 1);
    }
    if (least > most || least <= 0) continue;
    rules.push_back({[=, of = term.value](const Where& where) -> std::optional<std::int64_t> {
                       const auto divisor = of(where);
                       if (!divisor || *divisor <= 0) return std::nullopt;
                       const Wide more = up ? *divisor - 1 : 0;
                       const Wide count = (least + more) / *divisor;
                       if (count != (most + more) / *divisor) return std::nullopt;
                       return static_cast<std::int64_t>(count * element);
                     },
                     fmt::format("a constant / {}, rounded {}", term.text, up ? "up" : "down"), term.tier});
  }
}

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

/// Elements spread over a group; what is left over goes to some of its ranks. What all ranks of the group
/// have together is the same in all recordings. Up to two of them may be missing: a root sends nothing to
/// itself.
void add_shares(int group, std::int64_t without, std::span<const Sample> samples, Rules& rules) {
  constexpr std::int64_t most_missing = 2;
  const auto in_rest = [group, without](const Where& where) {
    const InGroup in = in_group(where, group);
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

/// The rules of the first kind that has any.
Rules simple_number_rules(std::span<const Sample> samples) {
  const Where& like = *samples.front().where;
  const Term face{[](const Where& where) -> Number {
                    std::int64_t product = 1;
                    for (std::size_t d = 0; d < where.at->place.size(); ++d)
                      if ((where.ways >> d & 1U) == 0) product *= where.grid().sides()[d];
                    return product;
                  },
                  "the sides across its way"};
  const std::int64_t value = samples.front().value;
  if (std::ranges::all_of(samples, [&](const Sample& sample) { return sample.value == value; })) {
    Rules rules{{[value](const Where&) { return std::optional(value); }, "a constant"}};
    // Where these sides are the same in all recordings, it may as well be a part of the face.
    if (like.ways != 0 && !has_different(face.value, 2, samples))
      rules.push_back({[constant = Wide{value} * *face.value(like), of = face.value](const Where& where) {
                         return whole(constant, *of(where));
                       },
                       fmt::format("a constant / {}", face.text)});
    return rules;
  }
  const std::vector<Term> ranks = terms_of_ranks(like);
  Rules rules;
  // A message's size is most often that of the face that it crosses.
  if (like.ways != 0) {
    add_part(face, samples, rules);
    if (rules.empty()) add_multiple(face, samples, rules);
    if (rules.empty()) add_line(face, true, samples, rules);
    if (!rules.empty()) {
      add_multiple(ranks.front(), samples, rules);
      add_part(ranks.front(), samples, rules);
      return rules;
    }
  }
  std::vector<Term> all = ranks;
  for (const Term& term : squares_of(ranks))
    all.push_back(term);
  for (const Term& term : logarithms_of(ranks))
    all.push_back(term);
  const std::vector<Term> steps = terms_of_steps(loops_around(samples));
  const std::vector<Term> places = terms_of_places(like);
  // From 4, 8 and 16 ranks, 1 / log2 of them and 1 / ranks are on one line: nothing shrinks with the
  // logarithm.
  const auto lines = [&](const std::vector<Term>& terms, Rules& found) {
    for (const Term& term : terms)
      for (const bool of_inverse : {false, true})
        if (!of_inverse || !term.text.starts_with("log2")) add_line(term, of_inverse, samples, found);
  };
  for (const Term& term : all) {
    add_multiple(term, samples, rules);
    add_part(term, samples, rules);
    add_others(term, samples, rules);
  }
  if (!rules.empty()) return rules;
  lines(all, rules);
  if (!rules.empty()) return rules;
  for (const Term& term : steps)
    add_multiple(term, samples, rules);
  lines(steps, rules);
  if (!rules.empty()) return rules;
  add_products(all, powers_of(steps), samples, rules);
  if (!rules.empty()) return rules;
  add_products(ranks, steps, samples, rules);
  if (!rules.empty()) return rules;
  for (const Term& term : ranks)
    for (const Term& step : steps)
      add_lines_by_ranks(term, step, samples, rules);
  if (!rules.empty()) return rules;
  for (const int group : groups_of(like))
    for (const std::int64_t without : {0, 1})
      add_shares(group, without, samples, rules);
  if (!rules.empty()) return rules;
  for (const std::int64_t element : sizes_of_elements(samples)) {
    for (const Term& term : ranks)
      add_rounded(term, element, samples, rules);
    if (!rules.empty()) return rules;
  }
  for (const Term& term : places)
    add_multiple(term, samples, rules);
  lines(places, rules);
  return rules;
}

}  // namespace

std::vector<Rule> number_rules(std::span<const Sample> samples) {
  return rules_of(samples, simple_number_rules);
}

std::vector<Rule> count_rules(std::span<const Sample> samples) {
  Rules rules = number_rules(samples);
  if (rules.empty() || rules.front().text != "a constant") return rules;
  // A side of the grid that is the same in all recordings may be the reason.
  const Where& like = *samples.front().where;
  const std::int64_t count = samples.front().value;
  for (std::size_t d = 0; d < like.at->place.size() && like.at->place.size() > 1; ++d) {
    const Value side = [d](const Where& where) { return Number(where.grid().sides()[d]); };
    if (has_different(side, 2, samples)) continue;
    for (const std::int64_t less : {0, 1})
      if (count == *side(like) - less)
        rules.push_back({[side, less](const Where& where) { return Number(*side(where) - less); },
                         fmt::format("side {}{}", d + 1, less == 1 ? " - 1" : "")});
    if (count > 1 && logarithm(*side(like)) == count)
      rules.push_back({[side](const Where& where) { return logarithm(*side(where)); },
                       fmt::format("log2 side {}", d + 1)});
  }
  return rules;
}

}  // namespace finegrain::scaling
