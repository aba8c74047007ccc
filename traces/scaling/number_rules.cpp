// SPDX-License-Identifier: MIT
#include "traces/scaling/number_rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>

#include "traces/scaling/number_terms.hpp"
#include "traces/scaling/rule_search.hpp"
#include "traces/scaling/share_rules.hpp"

namespace finegrain::scaling {
namespace {

/// Adds a formula of the term's value, if all samples obey it and the term has so many values there.
template <class Formula, class Text>
void add_formula(const Term& term, std::size_t different, std::span<const Sample> samples, Formula formula,
                 Text text, Rules& rules) {
  if (term.different < different) return;
  for (std::size_t s = 0; s < samples.size(); ++s)
    if (!term.at[s] || formula(*term.at[s]) != samples[s].value) return;
  rules.push_back({[formula, of = term.value](const Where& where) {
                     const Number value = of(where);
                     return value ? formula(*value) : Number();
                   },
                   text(), term.tier});
}

/// The same of two terms' values. The second one has to have so many.
template <class Formula, class Text>
void add_formula(const Term& one, const Term& other, std::size_t different, std::span<const Sample> samples,
                 Formula formula, Text text, Rules& rules) {
  if (other.different < different) return;
  for (std::size_t s = 0; s < samples.size(); ++s)
    if (!one.at[s] || !other.at[s] || formula(*one.at[s], *other.at[s]) != samples[s].value) return;
  rules.push_back({[formula, of_one = one.value, of_other = other.value](const Where& where) {
                     const Number first = of_one(where);
                     const Number second = of_other(where);
                     return first && second ? formula(*first, *second) : Number();
                   },
                   text(), one.tier});
}

/// numerator / denominator times the term.
void add_multiple(const Term& term, std::span<const Sample> samples, Rules& rules) {
  const auto known = std::ranges::find_if(term.at, [](const Number& value) { return !value || *value != 0; });
  if (known == term.at.end() || !*known) return;
  const Wide numerator = samples[static_cast<std::size_t>(known - term.at.begin())].value;
  if (numerator == 0) return;
  add_formula(
      term, 2, samples,
      [numerator, denominator = **known](std::int64_t value) {
        return whole(numerator * value, denominator);
      },
      [&] { return fmt::format("proportional to {}", term.text); }, rules);
}

/// A constant, divided by the term.
void add_part(const Term& term, std::span<const Sample> samples, Rules& rules) {
  const Number first = term.at.front();
  if (!first || *first * samples[0].value == 0) return;
  add_formula(
      term, 2, samples,
      [constant = Wide{samples[0].value} * *first](std::int64_t value) { return whole(constant, value); },
      [&] { return fmt::format("a constant / {}", term.text); }, rules);
}

/// A straight line, of the term or of 1 / term: only if a third value confirms it.
void add_line(const Term& term, bool of_inverse, std::span<const Sample> samples, Rules& rules) {
  const Number first = term.at.front();
  if (!first) return;
  const auto other = std::ranges::find_if(term.at, [&](const Number& value) { return value != first; });
  if (other == term.at.end() || !*other) return;
  const Wide v0 = samples[0].value;
  const Wide v1 = samples[static_cast<std::size_t>(other - term.at.begin())].value;
  if (v0 == v1 || (of_inverse && (*first == 0 || **other == 0))) return;
  const Wide x0 = *first;
  const Wide x1 = **other;
  // v = v0 + (v1 - v0) (x - x0) / (x1 - x0); of the inverse, with x = 1 / term.
  const Wide numerator = of_inverse ? (v1 - v0) * x1 : v1 - v0;
  const Wide denominator = of_inverse ? x0 - x1 : x1 - x0;
  add_formula(
      term, 3, samples,
      [=](std::int64_t value) -> Number {
        if (of_inverse && value == 0) return std::nullopt;
        const Wide x = value;
        const auto more =
            whole(numerator * (of_inverse ? x0 - x : x - x0), of_inverse ? denominator * x : denominator);
        if (!more || v0 + *more < 0) return std::nullopt;
        return static_cast<std::int64_t>(v0) + *more;
      },
      [&] {
        return fmt::format("{} {}, and a constant", of_inverse ? "a constant /" : "proportional to",
                           term.text);
      },
      rules);
}

/// One less than the term: all others.
void add_others(const Term& term, std::span<const Sample> samples, Rules& rules) {
  add_formula(
      term, 2, samples, [](std::int64_t value) { return Number(value - 1); },
      [&] { return fmt::format("{} - 1", term.text); }, rules);
}

/// A multiple or part of one term, and of a power of the step.
void add_products(const std::vector<Term>& terms, const std::vector<Term>& powers,
                  std::span<const Sample> samples, Rules& rules) {
  const Term constant = Term{[](const Where&) { return Number(1); }, "a constant"}.known_at(samples);
  const Wide v0 = samples[0].value;
  if (v0 == 0) return;
  const auto add = [&](const Term& one, bool is_inverse, const Term& step, bool falls) {
    const Number first = one.at.front();
    const Number second = step.at.front();
    if (!first || !second || *first == 0 || *second == 0) return;
    const Wide above = v0 * (is_inverse ? *first : 1) * (falls ? *second : 1);
    const Wide below = Wide{is_inverse ? 1 : *first} * (falls ? 1 : *second);
    add_formula(
        one, step, 2, samples,
        [=](std::int64_t x, std::int64_t k) -> Number {
          if (x == 0 || k == 0) return std::nullopt;
          return whole(above * (is_inverse ? 1 : x) * (falls ? 1 : k),
                       below * (is_inverse ? x : 1) * (falls ? k : 1));
        },
        [&] {
          return fmt::format("{}{} x {}{}", is_inverse ? "1 / " : "", one.text, falls ? "1 / " : "",
                             step.text);
        },
        rules);
  };
  for (const Term& step : powers)
    for (const bool falls : {false, true})
      add(constant, false, step, falls);
  for (const Term& term : terms)
    for (const bool is_inverse : {false, true})
      for (const Term& step : powers)
        for (const bool falls : {false, true})
          add(term, is_inverse, step, falls);
}

/// A straight line of the step, whose constant and slope are multiples of powers of the ranks.
void add_lines_by_ranks(const Term& term, const Term& step, std::span<const Sample> samples, Rules& rules) {
  // v P^2 = a P^i + b k P^j, with the term P and the step k.
  const auto parts = [](std::int64_t p, std::int64_t k, int i, int j) {
    const auto to = [&](int exponent) {
      Wide result = 1;
      for (; exponent > 0; --exponent)
        result *= p;
      return result;
    };
    return std::pair(to(i), k * to(j));
  };
  const auto are_known = [&](std::size_t s) { return term.at[s] && step.at[s] && *term.at[s] != 0; };
  for (std::size_t s = 0; s < samples.size(); ++s)
    if (!are_known(s)) return;
  for (const int i : {2, 1, 0})
    for (const int j : {2, 1, 0}) {
      const auto parts_at = [&](std::size_t s) { return parts(*term.at[s], *step.at[s], i, j); };
      const auto one = parts_at(0);
      std::size_t other = 1;
      for (; other < samples.size(); ++other)
        if (const auto here = parts_at(other); one.first * here.second != one.second * here.first) break;
      if (other == samples.size()) continue;
      const auto two = parts_at(other);
      const auto v_of = [&](std::size_t s) {
        const Wide p = *term.at[s];
        return Wide{samples[s].value} * p * p;
      };
      const Wide v1 = v_of(0);
      const Wide v2 = v_of(other);
      const Wide divisor = one.first * two.second - one.second * two.first;
      const Wide a = v1 * two.second - v2 * one.second;  // times the divisor
      const Wide b = v2 * one.first - v1 * two.first;
      if (a == 0 || b == 0) continue;
      add_formula(
          term, step, 3, samples,
          [=](std::int64_t p, std::int64_t k) -> Number {
            if (p == 0) return std::nullopt;
            const auto here = parts(p, k, i, j);
            const Number value = whole(a * here.first + b * here.second, divisor * p * p);
            return value && *value >= 0 ? value : std::nullopt;
          },
          [&] { return fmt::format("a line of the {}, by powers of {}", step.text, term.text); }, rules);
    }
}

/// Elements divided by a term, rounded down or up. The number of elements is known within limits only.
void add_rounded(const Term& term, std::int64_t element, std::span<const Sample> samples, Rules& rules) {
  if (term.different < 3) return;
  for (const bool up : {false, true}) {
    Wide least = 0;
    Wide most = Wide{1} << 60;
    for (std::size_t i = 0; i < samples.size(); ++i) {
      const Wide count = samples[i].value / element;
      if (!term.at[i] || *term.at[i] <= 0) return;
      const Wide divisor = *term.at[i];
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

/// The rules of the first kind that has any.
Rules simple_number_rules(std::span<const Sample> samples) {
  const Where& like = *samples.front().where;
  const Term face = face_of(samples);
  const std::int64_t value = samples.front().value;
  if (std::ranges::all_of(samples, [&](const Sample& sample) { return sample.value == value; })) {
    Rules rules{{[value](const Where&) { return std::optional(value); }, "a constant"}};
    // Where these sides are the same in all recordings, it may as well be a part of the face.
    if (like.ways != 0 && face.different < 2)
      rules.push_back({[constant = Wide{value} * *face.value(like), of = face.value](const Where& where) {
                         return whole(constant, *of(where));
                       },
                       fmt::format("a constant / {}", face.text)});
    return rules;
  }
  const std::vector<Term> ranks = terms_of_ranks(samples);
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
  for (const Term& term : squares_of(ranks, samples))
    all.push_back(term);
  for (const Term& term : logarithms_of(ranks, samples))
    all.push_back(term);
  const std::vector<Term> steps = terms_of_steps(samples);
  const std::vector<Term> places = terms_of_places(samples);
  // Nothing shrinks with the logarithm, though sides of 2 and 4 ranks have logarithms of 1 and 2, and from 4,
  // 8 and 16 ranks, 1 / log2 of them and 1 / ranks are on one line.
  const auto lines = [&](const std::vector<Term>& terms, Rules& found) {
    for (const Term& term : terms)
      for (const bool of_inverse : {false, true})
        if (!of_inverse || !term.text.starts_with("log2")) add_line(term, of_inverse, samples, found);
  };
  for (const Term& term : all) {
    add_multiple(term, samples, rules);
    if (!term.text.starts_with("log2")) add_part(term, samples, rules);
    add_others(term, samples, rules);
  }
  if (!rules.empty()) return rules;
  lines(all, rules);
  if (!rules.empty()) return rules;
  for (const Term& term : steps)
    add_multiple(term, samples, rules);
  lines(steps, rules);
  if (!rules.empty()) return rules;
  add_products(all, powers_of(steps, samples), samples, rules);
  if (!rules.empty()) return rules;
  add_products(ranks, steps, samples, rules);
  if (!rules.empty()) return rules;
  for (const Term& term : ranks)
    for (const Term& step : steps)
      add_lines_by_ranks(term, step, samples, rules);
  if (!rules.empty()) return rules;
  rules = share_rules(samples);
  if (!rules.empty()) return rules;
  for (const std::int64_t element : sizes_of_elements(samples)) {
    for (const Term& term : ranks)
      add_rounded(term, element, samples, rules);
    if (!rules.empty()) return rules;
  }
  for (const Term& term : places)
    add_multiple(term, samples, rules);
  lines(places, rules);
  // In a tree, the parts that are put together grow with the lowest bit of the rank's place.
  if (rules.empty()) add_products(ranks, places, samples, rules);
  return rules;
}

}  // namespace

std::vector<Rule> number_rules(std::span<const Sample> samples) {
  return rules_of(samples, simple_number_rules);
}

std::vector<Rule> size_rules(std::span<const Sample> samples, std::int64_t element_bytes) {
  for (const Sample& sample : samples)
    element_bytes = std::gcd(element_bytes, sample.value);
  if (element_bytes == 0) element_bytes = 1;
  std::vector<Rule> rules = number_rules(samples);
  for (Rule& rule : rules)
    rule.value = [element_bytes, value = rule.value](const Where& where) {
      const std::optional<std::int64_t> size = value(where);
      return size && *size % element_bytes == 0 ? size : std::nullopt;
    };
  return rules;
}

std::vector<Rule> count_rules(std::span<const Sample> samples) {
  Rules rules = number_rules(samples);
  if (rules.empty() || rules.front().text != "a constant") return rules;
  // A side of the grid that is the same in all recordings may be the reason.
  const Where& like = *samples.front().where;
  const std::int64_t count = samples.front().value;
  for (std::size_t d = 0; d < like.at->place.size() && like.at->place.size() > 1; ++d) {
    const Value side = [d](const Where& where) { return Number(where.grid().sides()[d]); };
    if (Term{side, ""}.known_at(samples).different > 1) continue;
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
