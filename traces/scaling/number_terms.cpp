// SPDX-License-Identifier: MIT
#include "traces/scaling/number_terms.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <optional>
#include <set>
#include <utility>

namespace finegrain::scaling {
namespace {

std::optional<std::int64_t> power(std::int64_t base, std::int64_t exponent) {
  if (exponent < 0 || exponent > 20) return std::nullopt;
  std::int64_t result = 1;
  for (; exponent > 0; --exponent)
    result *= base;
  return result;
}

std::vector<Term> known_at(std::vector<Term> terms, std::span<const Sample> samples) {
  for (Term& term : terms)
    term = std::move(term).known_at(samples);
  return terms;
}

}  // namespace

Term Term::known_at(std::span<const Sample> samples) && {
  constexpr std::size_t most_asked_for = 3;
  std::set<std::int64_t> values;
  at.clear();
  for (const Sample& sample : samples) {
    at.push_back(value(*sample.where));
    if (values.size() < most_asked_for) values.insert(at.back().value_or(0));
  }
  different = values.size();
  return std::move(*this);
}

std::vector<Term> terms_of_ranks(std::span<const Sample> samples) {
  const Where& like = *samples.front().where;
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
  return known_at(std::move(terms), samples);
}

std::vector<Term> logarithms_of(const std::vector<Term>& terms, std::span<const Sample> samples) {
  std::vector<Term> logarithms;
  for (const Term& term : terms)
    logarithms.push_back({[of = term.value](const Where& where) { return logarithm(*of(where)); },
                          fmt::format("log2 {}", term.text), term.tier});
  return known_at(std::move(logarithms), samples);
}

std::vector<Term> squares_of(const std::vector<Term>& terms, std::span<const Sample> samples) {
  std::vector<Term> squares;
  for (const Term& term : terms)
    squares.push_back({[of = term.value](const Where& where) { return *of(where) * *of(where); },
                       fmt::format("{}^2", term.text), term.tier});
  return known_at(std::move(squares), samples);
}

std::vector<Term> terms_of_steps(std::span<const Sample> samples) {
  std::vector<Term> terms;
  for (std::size_t loop = 0; loop < static_cast<std::size_t>(loops_around(samples)); ++loop) {
    terms.push_back({[loop](const Where& where) { return std::optional(where.loops[loop].step); }, "step"});
    terms.push_back({[loop](const Where& where) {
                       return std::optional(where.loops[loop].steps - 1 - where.loops[loop].step);
                     },
                     "step from the end"});
    if (loop > 0)
      terms.push_back({[loop](const Where& where) { return std::optional(where.loops[loop].steps); },
                       "steps of the loop around"});
  }
  return known_at(std::move(terms), samples);
}

std::vector<Term> powers_of(const std::vector<Term>& steps, std::span<const Sample> samples) {
  std::vector<Term> powers;
  for (const Term& step : steps)
    for (const std::int64_t base : {2, 4, 8})
      powers.push_back({[base, of = step.value](const Where& where) { return power(base, *of(where)); },
                        fmt::format("{}^{}", base, step.text)});
  return known_at(std::move(powers), samples);
}

std::vector<Term> terms_of_places(std::span<const Sample> samples) {
  std::vector<Term> terms;
  for (const int group : groups_of(*samples.front().where)) {
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
  return known_at(std::move(terms), samples);
}

Term face_of(std::span<const Sample> samples) {
  return Term{[](const Where& where) -> Number {
                std::int64_t product = 1;
                for (std::size_t d = 0; d < where.at->place.size(); ++d)
                  if ((where.ways >> d & 1U) == 0) product *= where.grid().sides()[d];
                return product;
              },
              "the sides across its way"}
      .known_at(samples);
}

}  // namespace finegrain::scaling
