// SPDX-License-Identifier: MIT
#include "sim/study/axis_values.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <initializer_list>
#include <optional>
#include <sstream>
#include <utility>

#include "sim/policy/policy.hpp"
#include "traces/io/input_error.hpp"

namespace finegrain::study {
namespace {

constexpr std::int64_t largest_number = 1'000'000'000'000;

template <class Number>
std::optional<Number> whole(std::string_view text) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(number) : std::nullopt;
}

struct Range {
  std::int64_t first;
  std::int64_t last;
};

/// The range of a text like "8..64"; "16" is the range 16..16.
std::optional<Range> range_of(std::string_view text) {
  const std::size_t dots = text.find("..");
  const auto first = whole<std::int64_t>(text.substr(0, dots));
  const auto last = dots == std::string_view::npos ? first : whole<std::int64_t>(text.substr(dots + 2));
  if (!first || !last || *first < 1 || *last < *first || *last > largest_number) return std::nullopt;
  return Range{*first, *last};
}

bool take_prefix(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

std::optional<std::vector<std::int64_t>> numbers_of(std::string_view text) {
  const bool powers = take_prefix(text, "powers of two ");
  std::int64_t step = 1;
  if (const std::size_t found = text.find(" step "); found != std::string_view::npos && !powers) {
    step = whole<std::int64_t>(text.substr(found + 6)).value_or(0);
    text = text.substr(0, found);
  }
  const std::optional<Range> range = range_of(text);
  if (!range || step < 1) return std::nullopt;
  std::vector<std::int64_t> numbers;
  if (powers) {
    for (std::int64_t power = 1; power <= range->last; power *= 2)
      if (power >= range->first) numbers.push_back(power);
  } else {
    // The steps are counted first, because adding a step to the last number could overflow.
    const std::int64_t steps = (range->last - range->first) / step;
    const auto count = std::min(steps + 1, std::int64_t{most_values} + 1);
    for (std::int64_t i = 0; i < count; ++i)
      numbers.push_back(range->first + i * step);
  }
  return numbers;
}

}  // namespace

std::vector<std::int64_t> parse_numbers(std::string_view text, const std::string& place) {
  const auto numbers = numbers_of(text);
  if (!numbers || numbers->empty()) {
    throw InputError(place, fmt::format("'{}' stands for no numbers of 1 or more", text),
                     "Write a number, \"8..64\", \"8..64 step 8\" or \"powers of two 16..1024\"");
  }
  if (numbers->size() > most_values)
    throw InputError(place, fmt::format("'{}' is more than {} numbers", text, most_values), "Give a step");
  return *numbers;
}

policy::Variant parse_variant(const std::string& text, const pattern::PatternKind& kind,
                              const std::string& place) {
  std::istringstream words(text);
  std::string policy;
  std::string transfer;
  std::string completion;
  std::string more;
  words >> policy >> transfer >> completion >> more;
  const auto is_completion = [&](Completion known) { return to_string(known) == transfer; };
  if (completion.empty() &&
      std::ranges::any_of(
          std::initializer_list<Completion>{Completion::each, Completion::together, Completion::overlapped},
          is_completion))
    std::swap(transfer, completion);  // "condensed overlapped": the transfer is the usual one
  std::vector<std::string> names;
  for (const policy::Policy* known : policy::policies())
    names.push_back(known->name());
  if (more.empty() && std::ranges::find(names, policy) != names.end()) {
    try {
      return policy::find_variant(kind, policy, transfer, completion);
    } catch (const InputError& error) {
      throw InputError(place, error.problem(), error.remedy());
    }
  }
  const policy::Variant example = policy::variants(kind).back();
  std::erase_if(names, [&](const std::string& name) { return policy::policy(name).variants(kind).empty(); });
  throw InputError(
      place, fmt::format("'{}' is not a program", text),
      fmt::format("Write its policy ({}), and if it is not the usual one its transfer (get, put, two-sided) "
                  "and completion (each, together, overlapped), e.g. \"{} {} {}\"",
                  fmt::join(names, ", "), example.policy, to_string(example.transfer),
                  to_string(example.completion)));
}

std::string variant_name(const policy::Variant& variant, const pattern::PatternKind& kind) {
  const std::string transfer(to_string(variant.transfer));
  const auto is_named_by = [&](const std::string& with_transfer) {
    try {
      policy::Variant found = policy::find_variant(kind, variant.policy, with_transfer, "");
      found.settings = variant.settings;
      return found == variant;
    } catch (const InputError&) {
      return false;
    }
  };
  if (is_named_by("")) return variant.policy;
  if (is_named_by(transfer)) return fmt::format("{} {}", variant.policy, transfer);
  return fmt::format("{} {} {}", variant.policy, transfer, to_string(variant.completion));
}

collectives::Overrides parse_collectives(const std::string& text) {
  collectives::Overrides overrides;
  std::istringstream words(text);
  for (std::string word; words >> word;)
    overrides.add(word);
  return overrides;
}

}  // namespace finegrain::study
