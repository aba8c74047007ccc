// SPDX-License-Identifier: MIT
#include "sim/tune/policy_axes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "traces/io/input_error.hpp"

namespace finegrain::tune {
namespace {

std::vector<pattern::Parameter> declared_axes(const policy::Policy& policy) {
  std::vector<pattern::Parameter> axes = policy.parameters();
  std::erase_if(axes, [](const pattern::Parameter& parameter) { return !parameter.is_axis; });
  return axes;
}

/// Whether only its usual number is tried.
bool keeps_number(const policy::Policy& policy, const pattern::Parameter& parameter,
                  const AxisValues& given) {
  return parameter.words.empty() && policy.has_own_counts() && !given.contains(parameter.name);
}

void add_once(std::vector<Value>& values, const Value& value) {
  if (std::ranges::find(values, value) == values.end()) values.push_back(value);
}

/// The numbers around a usual one.
std::vector<Value> numbers_around(std::int64_t usual, std::int64_t least) {
  constexpr std::int64_t step = 4;
  std::vector<Value> numbers{usual};
  add_once(numbers, std::max(least, usual / step));
  add_once(numbers, std::max(usual * step, std::int64_t{1}));
  return numbers;
}

/// The usual value comes first if it is tried.
std::vector<Value> values_of(const policy::Policy& policy, const pattern::Parameter& parameter,
                             const AxisValues& given) {
  const Value& usual = *parameter.usual;
  if (keeps_number(policy, parameter, given)) return {usual};
  std::vector<Value> values;
  if (const auto asked = given.find(parameter.name); asked != given.end()) {
    for (const Value& value : asked->second)
      add_once(values, value);
  } else if (parameter.words.empty()) {
    values = numbers_around(std::get<std::int64_t>(usual), parameter.least);
  } else {
    values.assign(parameter.words.begin(), parameter.words.end());
  }
  // With iterators: clang 14 cannot compile the one of ranges.
  std::stable_partition(values.begin(), values.end(), [&](const Value& value) { return value == usual; });
  return values;
}

}  // namespace

std::vector<policy::Variant> with_axes(const std::vector<policy::Variant>& variants,
                                       const AxisValues& given) {
  std::vector<policy::Variant> all;
  for (const policy::Variant& variant : variants) {
    const policy::Policy& policy = policy::policy(variant.policy);
    std::vector<policy::Variant> varied{variant};
    for (const pattern::Parameter& parameter : declared_axes(policy)) {
      std::vector<policy::Variant> with_it;
      for (const policy::Variant& without : varied) {
        for (const Value& value : values_of(policy, parameter, given)) {
          with_it.push_back(without);
          if (value != *parameter.usual) with_it.back().settings[parameter.name] = value;
        }
      }
      varied = std::move(with_it);
    }
    std::ranges::move(varied, std::back_inserter(all));
  }
  const std::vector<pattern::Parameter> known = axes_of(variants);
  for (const auto& [name, values] : given)
    if (std::ranges::find(known, name, &pattern::Parameter::name) == known.end())
      throw InputError(name, fmt::format("none of the programs to try has it"), "Leave it out");
  return all;
}

std::vector<std::string> kept_numbers(const std::vector<policy::Variant>& variants, const AxisValues& given) {
  std::vector<std::string> kept;
  for (const policy::Variant& variant : variants) {
    const policy::Policy& policy = policy::policy(variant.policy);
    for (const pattern::Parameter& parameter : declared_axes(policy)) {
      if (!keeps_number(policy, parameter, given)) continue;
      std::string text = fmt::format("{} {}", parameter.name, value_text(*parameter.usual));
      if (std::ranges::find(kept, text) == kept.end()) kept.push_back(std::move(text));
    }
  }
  return kept;
}

std::vector<pattern::Parameter> axes_of(const std::vector<policy::Variant>& variants) {
  std::vector<pattern::Parameter> axes;
  for (const policy::Variant& variant : variants)
    for (pattern::Parameter& parameter : declared_axes(policy::policy(variant.policy)))
      if (std::ranges::find(axes, parameter.name, &pattern::Parameter::name) == axes.end())
        axes.push_back(std::move(parameter));
  return axes;
}

std::string settings_text(const Settings& settings) {
  std::string text;
  for (const auto& [name, value] : settings)
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name, value_text(value));
  return text;
}

std::string value_text(const Value& value) {
  return std::visit([](const auto& held) { return fmt::format("{}", held); }, value);
}

}  // namespace finegrain::tune
