// SPDX-License-Identifier: MIT
#include "sim/platform/node.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>

namespace finegrain::platform {

namespace {

/// A name, without its last number, and that number; -1: it has none.
std::pair<std::string, std::int64_t> without_number(const std::string& name) {
  constexpr std::string_view digits = "0123456789";
  const std::size_t last = name.find_last_of(digits);
  if (last == std::string::npos) return {name, -1};
  const std::size_t before = name.find_last_not_of(digits, last);
  const std::size_t first = before == std::string::npos ? 0 : before + 1;
  std::int64_t number = -1;
  std::from_chars(name.data() + first, name.data() + last + 1, number);
  return {name.substr(0, first) + '\n' + name.substr(last + 1), number};
}

bool follow_one_another(const std::vector<std::string>& names) {
  return std::ranges::adjacent_find(names, [](const std::string& one, const std::string& next) {
           const auto [name, number] = without_number(one);
           return number < 0 || without_number(next) != std::pair(name, number + 1);
         }) == names.end();
}

}  // namespace

std::string names_of(const std::vector<std::string>& nodes) {
  constexpr std::size_t most_named = 4;
  if (nodes.size() == 1) return nodes.front();
  if (nodes.size() == 2) return fmt::format("{} and {}", nodes.front(), nodes.back());
  if (follow_one_another(nodes)) return fmt::format("{} to {}", nodes.front(), nodes.back());
  const bool are_few = nodes.size() <= most_named;
  const auto first = std::span(nodes).first(are_few ? nodes.size() - 1 : most_named - 1);
  return are_few ? fmt::format("{} and {}", fmt::join(first, ", "), nodes.back())
                 : fmt::format("{} ... {} ({} nodes)", fmt::join(first, ", "), nodes.back(), nodes.size());
}

std::vector<std::vector<Node>> kinds_of(const std::vector<Node>& nodes) {
  std::vector<std::vector<Node>> kinds;
  for (const Node& node : nodes) {
    const auto kind = std::ranges::find_if(kinds, [&](const std::vector<Node>& known) {
      Node renamed = known.front();
      renamed.name = node.name;
      return renamed == node;
    });
    if (kind == kinds.end())
      kinds.push_back({node});
    else
      kind->push_back(node);
  }
  return kinds;
}

}  // namespace finegrain::platform
