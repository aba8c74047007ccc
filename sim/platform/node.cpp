// SPDX-License-Identifier: MIT
#include "sim/platform/node.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace finegrain::platform {

std::string names_of(const std::vector<std::string>& nodes) {
  if (nodes.size() == 1) return nodes.front();
  return fmt::format("{} {} {}", nodes.front(), nodes.size() == 2 ? "and" : "to", nodes.back());
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
