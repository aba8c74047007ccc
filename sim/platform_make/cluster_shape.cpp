// SPDX-License-Identifier: MIT
#include "sim/platform_make/cluster_shape.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <functional>
#include <numeric>
#include <optional>
#include <vector>

#include "traces/io/input_error.hpp"
#include "traces/io/units.hpp"

namespace finegrain::platform_make {
namespace {

/// More than any machine has; SimGrid takes minutes for more.
constexpr std::int64_t most_places = 500'000;
/// Products of it on four levels are far from overflow.
constexpr std::int64_t most_ports = 1024;

std::optional<std::int64_t> given_count(const Numbers& numbers, std::string_view name) {
  const auto number = numbers.find(name);
  if (number == numbers.end()) return std::nullopt;
  return std::stoll(number->second.text);
}

std::int64_t count_of(const Numbers& numbers, std::string_view name) {
  return *given_count(numbers, name);
}

struct Ratio {
  std::int64_t down;
  std::int64_t up;
};

Ratio ratio_of(const Numbers& numbers) {
  const std::string& text = numbers.find("ratio")->second.text;
  return {std::stoll(text), std::stoll(text.substr(text.find(':') + 1))};
}

std::int64_t rounded_up(std::int64_t number, std::int64_t divisor) {
  return (number + divisor - 1) / divisor;
}

void check_room(const std::string& network, std::int64_t places, std::int64_t nodes,
                const std::string& remedy) {
  if (nodes > places)
    throw InputError(network,
                     fmt::format("there is room for {}, not for {}", format_count(places, "node"), nodes),
                     remedy);
}

void check_size(const std::string& network, std::int64_t places) {
  if (places > most_places)
    throw InputError(network,
                     fmt::format("{} are more nodes than can be simulated ({})", places, most_places),
                     "Use a smaller network");
}

/// The most links between each two that divide the links upwards equally, and for which the ports suffice.
std::int64_t parallel_links(std::int64_t links_up, std::int64_t subtrees, std::int64_t ports) {
  for (std::int64_t links = links_up; links > 1; --links)
    if (links_up % links == 0 && links * subtrees <= ports) return links;
  return 1;
}

ClusterShape fat_tree_shape(const Numbers& numbers) {
  const auto levels = static_cast<std::size_t>(count_of(numbers, "levels"));
  const std::int64_t ports = count_of(numbers, "ports");
  const std::int64_t nodes = count_of(numbers, "nodes");
  const Ratio ratio = ratio_of(numbers);
  if (levels < 2 || levels > 4)
    throw InputError("fat_tree", fmt::format("{} levels (it has from 2 to 4)", levels),
                     levels < 2 ? "Use 'switch: N nodes' for one switch" : "Use fewer");
  if (ports > most_ports)
    throw InputError(
        "fat_tree", fmt::format("no switch has {} ports (the most that are taken are {})", ports, most_ports),
        "Use fewer");
  const std::int64_t unit = ports / (ratio.down + ratio.up);
  if (unit < 1 || ports < 2)
    throw InputError("fat_tree", fmt::format("{} ports cannot be divided {}:{}", ports, ratio.down, ratio.up),
                     "Use more ports, or another ratio");
  // 40 ports at 2:1 are 26 down and 13 up: the uplinks decide, and one port is free.
  const std::int64_t leaf_down = ratio.down * unit;
  const std::int64_t leaf_up = ratio.up * unit;
  const std::int64_t half = ports / 2;
  std::int64_t room = leaf_down * ports;
  for (std::size_t level = 2; level < levels; ++level)
    room *= half;
  check_room("fat_tree", room, nodes,
             fmt::format("Use more levels than {}, or more ports than {}", levels, ports));
  std::vector<std::int64_t> down{leaf_down};
  std::vector<std::int64_t> up{1, leaf_up};
  std::int64_t in_subtree = leaf_down;
  for (std::size_t level = 2; level < levels; ++level) {
    down.push_back(std::min(half, rounded_up(nodes, in_subtree)));
    up.push_back(half);
    in_subtree *= down.back();
  }
  const std::int64_t subtrees = rounded_up(nodes, in_subtree);
  down.push_back(subtrees);
  std::vector<std::int64_t> links(levels, 1);
  links.back() = parallel_links(up.back(), subtrees, ports);
  up.back() /= links.back();
  check_size("fat_tree", in_subtree * subtrees);
  const std::int64_t tops = std::accumulate(up.begin(), up.end(), std::int64_t{1}, std::multiplies<>());
  return {"FAT_TREE",
          fmt::format("{};{};{};{}", levels, fmt::join(down, ","), fmt::join(up, ","), fmt::join(links, ",")),
          in_subtree * subtrees, nodes,
          fmt::format("leaf switches have {} nodes and {} uplinks; {} of {} under {} with {} to each",
                      leaf_down, leaf_up, format_count(subtrees, "subtree"), format_count(in_subtree, "node"),
                      tops == 1 ? "1 top switch" : fmt::format("{} top switches", tops),
                      format_count(links.back(), "link"))};
}

ClusterShape dragonfly_shape(const Numbers& numbers) {
  const std::int64_t groups = count_of(numbers, "groups");
  const std::int64_t switches = count_of(numbers, "switches");
  const std::int64_t each = count_of(numbers, "nodes_per_switch");
  const std::int64_t links = count_of(numbers, "links_between");
  // The model has one link of several times the bandwidth between two groups, at one switch of each.
  if (groups > switches)
    throw InputError("dragonfly",
                     fmt::format("{} groups of {} (each switch links its group to one other)", groups,
                                 fmt::format("{} switches", switches)),
                     fmt::format("Use at most {} groups, or more switches", switches));
  if (groups > most_places / switches / each)
    throw InputError("dragonfly", "there are more nodes than can be simulated", "Use a smaller one");
  const std::int64_t places = groups * switches * each;
  const std::int64_t nodes = given_count(numbers, "nodes").value_or(places);
  check_room("dragonfly", places, nodes, "Use more groups, switches, or nodes per switch");
  return {"DRAGONFLY", fmt::format("{},{};1,1;{},1;{}", groups, links, switches, each), places, nodes,
          fmt::format("{} groups, {} between two; 1 chassis of {} switches, 1 link between two; {} a switch",
                      groups, format_count(links, "link"), switches, format_count(each, "node"))};
}

ClusterShape torus_shape(const Numbers& numbers) {
  const std::string& dimensions = numbers.find("dimensions")->second.text;
  std::int64_t places = 1;
  for (std::size_t begin = 0; begin < dimensions.size();) {
    const std::size_t end = std::min(dimensions.find(',', begin), dimensions.size());
    places *= std::stoll(dimensions.substr(begin, end - begin));
    if (places > most_places)
      throw InputError("torus", "there are more nodes than can be simulated", "Use smaller dimensions");
    begin = end + 1;
  }
  const std::int64_t nodes = given_count(numbers, "nodes").value_or(places);
  check_room("torus", places, nodes, "Use larger dimensions");
  return {"TORUS", dimensions, places, nodes, "its dimensions"};
}

ClusterShape switch_shape(const Numbers& numbers) {
  const std::int64_t nodes = count_of(numbers, "nodes");
  if (const auto ports = given_count(numbers, "ports"))
    check_room("switch", *ports, nodes, "Use more ports, or a fat_tree");
  check_size("switch", nodes);
  return {"", "", nodes, nodes, "one switch, which limits nothing"};
}

}  // namespace

ClusterShape cluster_shape(const MachineLine& line) {
  if (line.network == "fat_tree" || line.network == "rail_optimised") return fat_tree_shape(line.numbers);
  if (line.network == "dragonfly") return dragonfly_shape(line.numbers);
  if (line.network == "torus") return torus_shape(line.numbers);
  return switch_shape(line.numbers);
}

}  // namespace finegrain::platform_make
