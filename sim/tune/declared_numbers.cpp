// SPDX-License-Identifier: MIT
#include "sim/tune/declared_numbers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "sim/platform/cost_properties.hpp"
#include "sim/study/axis_values.hpp"

namespace finegrain::tune {
namespace {

constexpr double least_difference = 1e-3;
/// The numbers of links, each with the property that calibrate measures together with it.
constexpr std::array<std::pair<const char*, const char*>, 2> of_links{
    {{"link_bandwidth", "remote_bandwidth"}, {"link_latency", "message_overhead"}}};

bool is_of_link(const std::string& name) {
  return std::ranges::any_of(of_links, [&](const auto& link) { return link.first == name; });
}

const char* unit_of(const platform::CostProperty& property) {
  switch (property.unit) {
    case platform::CostUnit::bandwidth:
      return "Bps";
    case platform::CostUnit::time:
      return "s";
    case platform::CostUnit::size:
      break;
  }
  return "B";
}

/// The file's properties after the settings. A factor multiplies the file's own value.
std::vector<platform::CostProperty> properties_of(const std::filesystem::path& platform,
                                                  const study::PlatformChange& set) {
  std::vector<std::string> values;
  for (const auto& [name, value] : set.values)
    if (!is_of_link(name) && study::parse_factor(value, set.place) == 0)
      values.push_back(fmt::format("{}={}", name, value));
  std::vector<platform::CostProperty> properties = platform::read_cost_properties(platform, values);
  for (platform::CostProperty& property : properties) {
    const auto changed = set.values.find(std::string(property.name));
    const double factor = changed == set.values.end() ? 0 : study::parse_factor(changed->second, set.place);
    if (factor != 0 && property.value()) property.given = *property.value() * factor;
  }
  return properties;
}

}  // namespace

std::vector<ChangedNumber> changed_numbers(const std::filesystem::path& platform,
                                           const study::PlatformChange& set) {
  std::vector<ChangedNumber> numbers;
  const auto add = [&](const std::string& name, const char* sign, const std::string& value) {
    numbers.push_back({fmt::format("{} {}{}", name, sign, declared_margin), set});
    numbers.back().change.values[name] = value;
  };
  const std::vector<platform::CostProperty> properties = properties_of(platform, set);
  for (const platform::CostProperty& property : properties) {
    if (property.measured || property.used_by == "closed form" || property.used_by == "limit" ||
        property.value().value_or(0) == 0)
      continue;
    const std::string name(property.name);
    add(name, "x", fmt::format("{}{}", *property.value() * declared_margin, unit_of(property)));
    add(name, "/", fmt::format("{}{}", *property.value() / declared_margin, unit_of(property)));
  }
  for (const auto& [name, measured_with] : of_links) {
    if (std::ranges::find(properties, measured_with, &platform::CostProperty::name)->measured) continue;
    const auto is_set = set.values.find(name);
    const double factor = is_set == set.values.end() ? 1 : study::parse_factor(is_set->second, set.place);
    add(name, "x", fmt::format("x{}", factor * declared_margin));
    add(name, "/", fmt::format("x{}", factor / declared_margin));
  }
  return numbers;
}

std::vector<OtherWinner> other_winners(const std::vector<NumberTried>& numbers) {
  std::vector<OtherWinner> others;
  for (const NumberTried& number : numbers) {
    const auto& values = number.values;
    std::size_t winner = 0;
    for (std::size_t i = 1; i < values.size(); ++i)
      if (values[i] && (!values[winner] || *values[i] < *values[winner])) winner = i;
    if (winner != 0 && (!values[0] || *values[winner] < *values[0] * (1 - least_difference)))
      others.push_back({&number, winner});
  }
  return others;
}

}  // namespace finegrain::tune
