// SPDX-License-Identifier: MIT
#include "sim/platform/regular/regular_cluster.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <functional>
#include <numeric>
#include <pugixml.hpp>
#include <string_view>

#include "sim/platform/platform_document.hpp"
#include "sim/platform/regular/wiring.hpp"

namespace finegrain::platform {
namespace {

using Numbers = std::vector<std::int64_t>;
using Topology = RegularCluster::Topology;

constexpr std::array known_attributes{
    "id",          "prefix",         "suffix",      "radical",         "speed", "core",   "bw",
    "lat",         "sharing_policy", "topology",    "topo_parameters", "bb_bw", "bb_lat", "bb_sharing_policy",
    "loopback_bw", "loopback_lat",   "limiter_link"};

/// The only cluster of a platform that has nothing else; null if it has.
pugi::xml_node only_cluster(const PlatformDocument& document) {
  pugi::xml_node cluster;
  for (const pugi::xml_node& child : document.xml().document_element().children()) {
    const std::string_view name = child.name();
    if (child.type() != pugi::node_element || name == "config") continue;
    if (name != "cluster" || cluster) return {};
    cluster = child;
  }
  return cluster;
}

bool is_plain_name(std::string_view text) {
  return std::ranges::all_of(text, [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
           c == '-' || c == '.';
  });
}

bool has_known_parts_only(const pugi::xml_node& cluster) {
  for (const pugi::xml_attribute& attribute : cluster.attributes())
    if (std::ranges::find(known_attributes, std::string_view(attribute.name())) == known_attributes.end() ||
        std::string_view(attribute.value()).find("/s") != std::string_view::npos)  // not a unit of SimGrid
      return false;
  for (const pugi::xml_node& child : cluster.children())
    if (child.type() == pugi::node_element && std::string_view(child.name()) != "prop") return false;
  return is_plain_name(cluster.attribute("id").value()) &&
         is_plain_name(cluster.attribute("prefix").value()) &&
         is_plain_name(cluster.attribute("suffix").value());
}

std::optional<std::int64_t> plain_number(std::string_view text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

/// The parts of a text between separators, each as `parse` reads it; none where it cannot.
template <class Parse>
auto parsed_parts(std::string_view text, char separator, Parse parse)
    -> std::optional<std::vector<typename decltype(parse(text))::value_type>> {
  std::vector<typename decltype(parse(text))::value_type> parts;
  while (true) {
    const std::size_t end = text.find(separator);
    const auto part = parse(text.substr(0, end));
    if (!part) return std::nullopt;
    parts.push_back(*part);
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

std::optional<Numbers> separated_numbers(std::string_view text, char separator) {
  return parsed_parts(text, separator, plain_number);
}

/// "0-3,5" as {0, 1, 2, 3, 5}; none unless the numbers ascend, as hosts do in natural order.
std::optional<std::vector<int>> ascending_numbers(std::string_view radical) {
  const auto ranges =
      parsed_parts(radical, ',', [](std::string_view range) { return separated_numbers(range, '-'); });
  if (!ranges) return std::nullopt;
  std::vector<int> hosts;
  for (const Numbers& range : *ranges) {
    if (range.size() > 2 || (!hosts.empty() && range.front() <= hosts.back())) return std::nullopt;
    for (std::int64_t host = range.front(); host <= range.back(); ++host)
      hosts.push_back(static_cast<int>(host));
  }
  return hosts;
}

std::optional<Topology> topology_named(std::string_view name) {
  if (name.empty() || name == "FLAT") return Topology::single_switch;
  if (name == "FAT_TREE") return Topology::fat_tree;
  if (name == "TORUS") return Topology::torus;
  if (name == "DRAGONFLY") return Topology::dragonfly;
  return std::nullopt;
}

std::size_t multiplied(const Numbers& numbers) {
  return static_cast<std::size_t>(
      std::accumulate(numbers.begin(), numbers.end(), std::int64_t{1}, std::multiplies<>()));
}

/// For how many hosts a topology has places.
std::size_t places_of(const RegularCluster& cluster) {
  using enum RegularCluster::Topology;
  const std::vector<Numbers>& parts = cluster.parameters;
  if (cluster.topology == fat_tree) return multiplied(parts[1]);
  if (cluster.topology == torus) return multiplied(parts[0]);
  if (cluster.topology == dragonfly) return multiplied({parts[0][0], parts[1][0], parts[2][0], parts[3][0]});
  return cluster.hosts.size();
}

/// Where SimGrid gives two links one name: links of a torus from a node to itself, and limiters of the many
/// switches of a fat tree, whose numbers go down to those of nodes.
bool has_links_of_one_name(const RegularCluster& cluster, bool has_limiters) {
  if (cluster.topology == Topology::torus) return std::ranges::count(cluster.parameters.front(), 1) > 1;
  if (cluster.topology != Topology::fat_tree || !has_limiters) return false;
  return FatTree(cluster, {}).switches() > cluster.hosts.size();
}

/// Where the value of an attribute is in a text. None: it is not found.
/// @param at  where its element begins
std::optional<std::pair<std::size_t, std::size_t>> find_value(std::string_view text, std::size_t at,
                                                              std::string_view attribute) {
  constexpr std::string_view spaces = " \t\r\n";
  at = text.find_first_of(spaces, at);
  while (at != std::string_view::npos) {
    const std::size_t name = text.find_first_not_of(spaces, at);
    const std::size_t equals = text.find('=', at);
    if (name == std::string_view::npos || equals == std::string_view::npos) return std::nullopt;
    const std::size_t quote = text.find_first_of("'\"", equals);
    if (quote == std::string_view::npos ||
        text.substr(name, quote - name).find('>') != std::string_view::npos)
      return std::nullopt;
    const std::size_t end = text.find(text[quote], quote + 1);
    if (end == std::string_view::npos) return std::nullopt;
    const std::string_view found = text.substr(name, text.find_first_of(" \t\r\n=", name) - name);
    if (found == attribute) return std::pair(quote + 1, end);
    at = end + 1;
  }
  return std::nullopt;
}

}  // namespace

std::string RegularCluster::host_name(std::size_t host) const {
  return fmt::format("{}{}{}", prefix, hosts[host], suffix);
}

std::optional<std::size_t> RegularCluster::find_host(const std::string& name) const {
  if (name.size() < prefix.size() + suffix.size() || !name.starts_with(prefix) || !name.ends_with(suffix))
    return std::nullopt;
  const auto number =
      plain_number(std::string_view(name).substr(prefix.size(), name.size() - prefix.size() - suffix.size()));
  const auto found = number ? std::ranges::lower_bound(hosts, *number) : hosts.end();
  if (found == hosts.end()) return std::nullopt;
  const auto host = static_cast<std::size_t>(found - hosts.begin());
  return host_name(host) == name ? std::optional(host) : std::nullopt;
}

RegularCluster RegularCluster::with_one_host() const {
  RegularCluster one = *this;
  one.hosts.resize(1);
  if (topology == Topology::fat_tree) one.parameters = {{1}, {1}, {1}, {1}};
  if (topology == Topology::torus) one.parameters = {{1}};
  if (topology == Topology::dragonfly) one.parameters = {{1, 1}, {1, 1}, {1, 1}, {1}};
  return one;
}

std::optional<RegularCluster> regular_cluster(const PlatformDocument& document) {
  const pugi::xml_node element = only_cluster(document);
  if (!element || !has_known_parts_only(element)) return std::nullopt;
  const auto topology = topology_named(element.attribute("topology").value());
  auto hosts = ascending_numbers(element.attribute("radical").value());
  if (!topology || !hosts || hosts->empty()) return std::nullopt;
  RegularCluster cluster{.id = element.attribute("id").value(),
                         .prefix = element.attribute("prefix").value(),
                         .suffix = element.attribute("suffix").value(),
                         .hosts = std::move(*hosts),
                         .topology = *topology};
  if (*topology == Topology::single_switch) return cluster;
  auto parameters = parsed_parts(element.attribute("topo_parameters").value(), ';',
                                 [](std::string_view group) { return separated_numbers(group, ','); });
  if (!parameters) return std::nullopt;
  cluster.parameters = std::move(*parameters);
  cluster.hosts.resize(places_of(cluster));  // SimGrid makes no hosts of the other numbers
  if (has_links_of_one_name(cluster, static_cast<bool>(element.attribute("limiter_link"))))
    return std::nullopt;
  return cluster;
}

std::optional<std::string> text_with_one_host(const PlatformDocument& document) {
  const auto cluster = regular_cluster(document);
  if (!cluster) return std::nullopt;
  std::string text = document.text();
  const auto begin = static_cast<std::size_t>(only_cluster(document).offset_debug());
  const auto replace = [&](std::string_view attribute, const std::string& value) {
    const auto place = find_value(text, begin, attribute);
    if (!place) return false;
    const auto [from, to] = *place;
    if (text.find_first_of("&\n", from) < to) return false;
    text.replace(from, to - from, value);
    return true;
  };
  constexpr std::array parameters_of_one{"", "1;1;1;1", "1", "1,1;1,1;1,1;1"};
  if (!replace("radical", std::to_string(cluster->hosts.front()))) return std::nullopt;
  const std::string parameters = parameters_of_one.at(static_cast<std::size_t>(cluster->topology));
  if (!parameters.empty() && !replace("topo_parameters", parameters)) return std::nullopt;
  return text;
}

}  // namespace finegrain::platform
