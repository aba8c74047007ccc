// SPDX-License-Identifier: MIT
#include "sim/platform/node_elements.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <set>
#include <sstream>
#include <tuple>
#include <utility>

#include "sim/platform/enlarged.hpp"
#include "sim/platform/natural_order.hpp"
#include "sim/platform/node_list.hpp"
#include "sim/platform/platform_document.hpp"
#include "sim/platform/rails.hpp"
#include "traces/io/input_error.hpp"

namespace finegrain::platform {
namespace {

constexpr const char* host_elements = "//host | //cluster | //cabinet | //peer";

bool is_cluster(const pugi::xml_node& element) {
  const std::string_view name = element.name();
  return name == "cluster" || name == "cabinet";
}

pugi::xml_node find_property(const pugi::xml_node& owner, std::string_view name) {
  return owner.find_child([&](const pugi::xml_node& child) {
    return std::string_view(child.name()) == "prop" && child.attribute("id").value() == name;
  });
}

/// What tells a node from others: its cores, its speed, and the texts of its properties.
using Kind = std::tuple<std::optional<int>, std::string, std::array<std::string, properties_of_nodes.size()>>;

Kind kind_of(NodeProperties& properties, const pugi::xml_node& element) {
  Kind kind{cores_of(element), element.attribute("speed").value(), {}};
  for (std::size_t number = 0; number < properties_of_nodes.size(); ++number)
    std::get<2>(kind)[number] = properties.of(element, number).attribute("value").value();
  return kind;
}

/// Calls add(name) for each host of a cluster: radical="0-3,7" are the numbers in their names. What is no
/// radical is left to SimGrid to refuse.
template <class Add>
void for_each_host(const pugi::xml_node& cluster, const Add& add) {
  const std::string prefix = cluster.attribute("prefix").value();
  const std::string suffix = cluster.attribute("suffix").value();
  std::istringstream ranges(cluster.attribute("radical").value());
  for (std::string range; std::getline(ranges, range, ',');) {
    const char* const end = range.data() + range.size();
    std::int64_t first = 0;
    const auto read = std::from_chars(range.data(), end, first);
    std::int64_t last = first;
    if (read.ec != std::errc() || (read.ptr != end && *read.ptr != '-')) return;
    if (read.ptr != end && std::from_chars(read.ptr + 1, end, last).ec != std::errc()) return;
    for (std::int64_t number = first; number <= last; ++number)
      add(fmt::format("{}{}{}", prefix, number, suffix));
  }
}

/// All hosts, in natural order of their names.
std::vector<NodeElement> all_hosts(const PlatformDocument& document) {
  std::vector<NodeElement> nodes;
  const auto add = [&](const std::string& name, const pugi::xml_node& element) {
    nodes.push_back({name, element});
    if (std::ssize(nodes) > most_nodes)
      throw InputError(document.place_of(element),
                       fmt::format("there are more than {} hosts (more than any machine has)", most_nodes),
                       "Use fewer");
  };
  for (const pugi::xpath_node& match : document.xml().select_nodes(host_elements)) {
    const pugi::xml_node element = match.node();
    if (is_cluster(element)) {
      for_each_host(element, [&](const std::string& name) { add(name, element); });
    } else {
      add(element.attribute("id").value(), element);
    }
  }
  std::ranges::sort(nodes, natural_less, &NodeElement::name);
  return nodes;
}

/// Those that a list names, in its order. @throws InputError if one is not there
std::vector<NodeElement> listed(const std::vector<NodeElement>& hosts, const NodeList& list,
                                const PlatformDocument& document) {
  std::unordered_map<std::string, const NodeElement*> by_name;
  for (const NodeElement& host : hosts)
    by_name.emplace(host.name, &host);
  std::vector<NodeElement> nodes;
  for (const NodeList::Named& node : list.nodes) {
    const auto host = by_name.find(node.host);
    if (host == by_name.end())
      throw InputError(document.place_of(document.xml().document_element()),
                       fmt::format("node_list names '{}', which is not a host", node.host), "Correct it");
    nodes.push_back(*host->second);
  }
  return nodes;
}

}  // namespace

std::optional<int> cores_of(const pugi::xml_node& element) {
  const int cores = element.attribute("core").as_int();
  return cores > 0 ? std::optional(cores) : std::nullopt;
}

NodeProperties::NodeProperties(const PlatformDocument& document) {
  for (std::size_t number = 0; number < properties_of_nodes.size(); ++number) {
    const std::string path = fmt::format("//prop[@id='{}']", properties_of_nodes[number]);
    for (const pugi::xpath_node& match : document.xml().select_nodes(path.c_str())) {
      // Another node's is not this one's.
      const std::string_view owner = match.node().parent().name();
      if (owner == "zone" || owner == "AS") of_any_zone_[number] = match.node();
    }
  }
}

pugi::xml_node NodeProperties::of(const pugi::xml_node& node, std::size_t number) {
  const pugi::xml_node own = find_property(node, properties_of_nodes[number]);
  return own ? own : of_zone(node.parent(), number);
}

pugi::xml_node NodeProperties::of_zone(const pugi::xml_node& zone, std::size_t number) {
  if (!zone) return of_any_zone_[number];
  if (const auto known = known_[number].find(zone.hash_value()); known != known_[number].end())
    return known->second;
  const pugi::xml_node own = find_property(zone, properties_of_nodes[number]);
  return known_[number][zone.hash_value()] = own ? own : of_zone(zone.parent(), number);
}

std::vector<std::string> host_names(const PlatformDocument& document) {
  const Rails rails = read_rails(document);
  std::vector<std::string> names;
  for (NodeElement& host : all_hosts(document))
    if (!is_further_adapter(host.name, rails)) names.push_back(std::move(host.name));
  return names;
}

std::vector<NodeElement> unlike_nodes(const PlatformDocument& document) {
  NodeProperties properties(document);
  std::set<Kind> kinds;
  for (const pugi::xpath_node& match : document.xml().select_nodes(host_elements))
    kinds.insert(kind_of(properties, match.node()));
  if (kinds.size() < 2) return {};
  const std::vector<NodeElement> hosts = all_hosts(document);
  const std::optional<NodeList> list = node_list(document);
  return list ? listed(hosts, *list, document) : hosts;
}

}  // namespace finegrain::platform
