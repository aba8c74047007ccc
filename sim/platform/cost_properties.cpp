// SPDX-License-Identifier: MIT
#include "sim/platform/cost_properties.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>
#include <sstream>
#include <string_view>

#include "sim/platform/factors.hpp"
#include "sim/platform/link_changes.hpp"
#include "sim/platform/node_elements.hpp"
#include "sim/platform/node_list.hpp"
#include "sim/platform/platform.hpp"
#include "sim/platform/platform_document.hpp"
#include "sim/platform/text_properties.hpp"
#include "traces/io/input_error.hpp"
#include "traces/io/nearest.hpp"
#include "traces/io/units.hpp"

namespace finegrain::platform {
namespace {

std::vector<CostProperty> known_properties() {
  using enum CostUnit;
  const PlatformCosts defaults;
  constexpr std::string_view all_alike = "puts and gets of private memory are as fast as others";
  constexpr std::string_view from_route =
      "it is derived from the route of the first two hosts, or asked for where there is none";
  return {
      {"memory_bandwidth", bandwidth, "both", "100GBps", false, {}, ""},
      {"memory_bandwidth_per_core", bandwidth, "both", "12GBps", false, {}, ""},
      {"cache_line", size, "both", "64B", false, defaults.cache_line_bytes, "64 B are taken"},
      {"message_overhead", time, "replay", "500ns", true, defaults.message_overhead_s,
       "messages between nodes cost their rank no time"},
      {"local_latency", time, "replay", "300ns", true, defaults.local_latency_s,
       "messages within a node have no latency"},
      {"write_allocate", size, "replay", "64B", true, defaults.write_allocate_bytes,
       "scattered stores read nothing first"},
      {"copy_allocate", size, "replay", "64B", true, defaults.copy_allocate_bytes,
       "copies read nothing of where they store"},
      {"call", time, "both", "20ns", true, defaults.call_s, "calls that keep track of elements cost nothing"},
      {"search_step", time, "both", "2ns", true, defaults.search_step_s,
       "sorting and searching cost nothing"},
      {"shared_pointer_access", time, "both", "2.5ns", true, defaults.shared_pointer_access_s,
       "pointers to shared are as fast as others"},
      {"affinity_test", time, "both", "6ns", true, defaults.affinity_test_s,
       "finding its own iterations costs a rank nothing"},
      {"unregistered_bandwidth", bandwidth, "replay", "4GBps", false, {}, all_alike},
      {"eager_limit", size, "replay", "64KiB", true, {}, "no message waits for its receiver"},
      {"buffered_limit", size, "replay", "4KiB", true, {}, "a send is complete when its bytes have left"},
      {"request_bytes", size, "replay", "64KiB", true, defaults.request_bytes,
       "nothing of a long message goes before it is permitted"},
      {"connection_lead", size, "replay", "3kB", true, defaults.connection_lead_bytes,
       "connections of a node that begin at the same time go at the same time"},
      {"stripe_above", size, "replay", "64KiB", true, {}, "each message goes by one rail"},
      {"tcp_window", size, "replay", "4MiB", false, {}, "latencies do not limit rates"},
      {"memory_size", size, "limit", "64GiB", false, {}, "whether a run fits is not said"},
      {"tau", time, "closed form", "3.4us", false, {}, from_route},
      {"remote_bandwidth", bandwidth, "closed form", "12GBps", false, {}, from_route},
  };
}

constexpr double largest_value = 1e18;  // bytes a second, bytes, seconds

double parse(const CostProperty& property, std::string_view text, std::string_view where) {
  const double value = property.unit == CostUnit::bandwidth ? parse_bandwidth_bytes_per_s(text, where)
                       : property.unit == CostUnit::time    ? parse_time_s(text, where)
                                                            : parse_size_bytes(text, where);
  if (value == 0 && !property.may_be_zero) {
    throw InputError(where, fmt::format("'{}' is zero ({} must be positive)", text, property.name),
                     fmt::format("Write it like {}", property.example));
  }
  if (value > largest_value) {
    throw InputError(where, fmt::format("'{}' is more than any machine has", text),
                     fmt::format("Write it like {}", property.example));
  }
  return value;
}

/// The names in <prop id="measured" value="tau remote_bandwidth"/>.
void mark_measured(const std::string& where, const std::string& names,
                   std::vector<CostProperty>& properties) {
  std::istringstream words(names);
  for (std::string name; words >> name;) {
    const auto property = std::ranges::find(properties, name, &CostProperty::name);
    if (property == properties.end()) {
      std::vector<std::string_view> known;
      for (const CostProperty& one : properties)
        known.push_back(one.name);
      throw InputError(
          where, fmt::format("measured: '{}' is no property (known are {})", name, fmt::join(known, ", ")),
          "Correct its name");
    }
    property->measured = true;
  }
}

/// Gives each node its own value of a property. @returns false if all have the same one
/// @throws InputError if one has none, though others have
bool differs_by_node(const PlatformDocument& document, CostProperty& property) {
  const auto name = std::ranges::find(properties_of_nodes, property.name);
  if (name == properties_of_nodes.end()) return false;
  const auto number = static_cast<std::size_t>(name - properties_of_nodes.begin());
  NodeProperties properties(document);
  std::vector<double> values;
  std::string first_place;
  for (const NodeElement& node : unlike_nodes(document)) {
    const pugi::xml_node prop = properties.of(node.element, number);
    if (!prop)
      throw InputError(document.place_of(node.element),
                       fmt::format("{} has no {}, and other nodes have", node.name, property.name),
                       "Add it, or give one for all in their zone");
    const std::string place = document.place_of(prop);
    if (values.empty()) first_place = place;
    values.push_back(
        parse(property, prop.attribute("value").value(), fmt::format("{}: {}", place, property.name)));
  }
  // The nodes of a list may be alike, and unlike the other hosts.
  if (values.empty()) return false;
  if (!node_list(document) &&
      std::ranges::all_of(values, [&](double value) { return value == values.front(); }))
    return false;
  property.given = values.front();
  property.source = first_place;
  for (const double value : values)
    property.of_nodes.push_back(value / values.front());
  return true;
}

/// Whether hosts of the file may be none of its nodes.
bool has_other_hosts(const PlatformDocument& document) {
  return node_list(document) || text_property(document, {}, "nodes");
}

/// @throws InputError if a property that stands in hosts and clusters only is missing in one of them
void check_all_hosts_have(const PlatformDocument& document, const CostProperty& property) {
  const std::string missing = fmt::format("[not(prop[@id='{}'])]", property.name);
  const std::string path = fmt::format("//host{0} | //cluster{0} | //cabinet{0} | //peer{0}", missing);
  const pugi::xml_node host = document.xml().select_node(path.c_str()).node();
  if (!host) return;
  throw InputError(document.place_of(host),
                   fmt::format("'{}' has no {}, and other hosts have it ({})", host.attribute("id").value(),
                               property.name, property.source),
                   "Add it, give one for all in their zone, or say which hosts are nodes (nodes, node_list)");
}

/// @returns the names of those that a zone has, which are all its hosts'
std::set<std::string_view> collect(const PlatformDocument& document, std::vector<CostProperty>& properties) {
  std::set<std::string_view> in_zones;
  for (const pugi::xpath_node& match : document.xml().select_nodes("//prop")) {
    const pugi::xml_node node = match.node();
    const std::string_view owner = node.parent().name();
    if (owner == "link" || owner == "config" || owner == "disk") continue;
    if (std::string_view(node.attribute("id").value()) == "measured") {
      mark_measured(document.place_of(node), node.attribute("value").value(), properties);
      continue;
    }
    const auto property = std::find_if(properties.begin(), properties.end(), [&](const auto& known) {
      return known.name == node.attribute("id").value();
    });
    if (property == properties.end()) continue;
    if (owner == "zone" || owner == "AS") in_zones.insert(property->name);
    const std::string where = document.place_of(node);
    const std::string_view text = node.attribute("value").value();
    const double value = parse(*property, text, fmt::format("{}: {}", where, property->name));
    if (!property->of_nodes.empty()) continue;
    if (property->given && *property->given != value) {
      if (differs_by_node(document, *property)) continue;
      throw InputError(where,
                       fmt::format("{} is '{}' here, and another value at {} (only the memory of nodes may "
                                   "differ from node to node)",
                                   property->name, text, property->source),
                       "Keep one");
    }
    if (!property->given) property->source = where;
    property->given = value;
  }
  return in_zones;
}

/// A value, or a factor on the one that there is.
double parse_override(const CostProperty& property, std::string_view text) {
  const std::string where = fmt::format("--set {}", property.name);
  const double factor = parse_factor(text, where);
  if (factor == 0) return parse(property, text, where);
  if (!property.value())
    throw InputError(where, fmt::format("the platform has no {} (a factor needs one)", property.name),
                     fmt::format("Give a value, e.g. {}", property.example));
  if (*property.value() == 0)
    throw InputError(where,
                     fmt::format("{} is 0 {}, and so is every multiple of it", property.name,
                                 property.given ? "at " + property.source : "where the platform has none"),
                     fmt::format("Give a value, e.g. {}", property.example));
  return factor * *property.value();
}

void check_factor_of_links(const std::string& name, std::string_view text) {
  const std::string where = fmt::format("--set {}", name);
  if (parse_factor(text, where) == 0)
    throw InputError(where, fmt::format("'{}' is no factor (links differ)", text), "Write it like x2 or /10");
}

/// All that --set may name.
std::vector<std::string> names_of_overrides() {
  std::vector<std::string> names;
  for (const CostProperty& known : known_properties())
    names.emplace_back(known.name);
  names.insert(names.end(), text_property_names().begin(), text_property_names().end());
  names.insert(names.end(), numbers_of_links.begin(), numbers_of_links.end());
  return names;
}

void apply(const std::string& override_text, std::vector<CostProperty>& properties) {
  if (override_text.starts_with(link_change_mark)) {  // read by with_link_factors()
    parse_link_change(override_text, "--set " + override_text);
    return;
  }
  const std::size_t equals = override_text.find('=');
  const std::string name = override_text.substr(0, equals);
  if (equals == std::string::npos) {
    throw InputError(fmt::format("--set {}", override_text), "not of the form name=value",
                     "Write it like memory_bandwidth=100GBps");
  }
  if (std::ranges::find(numbers_of_links, name) != numbers_of_links.end())  // read by with_link_factors()
    return check_factor_of_links(name, std::string_view(override_text).substr(equals + 1));
  const auto& texts = text_property_names();  // read by text_property()
  if (std::ranges::find(texts, name) != texts.end()) return;
  const auto property = std::find_if(properties.begin(), properties.end(),
                                     [&](const auto& known) { return known.name == name; });
  if (property == properties.end()) {
    std::vector<std::string> names = names_of_overrides();
    const std::string near = nearest(name, names);
    throw InputError(fmt::format("--set {}", name), "unknown property",
                     near.empty()
                         ? fmt::format("Known are {}", fmt::join(names, ", "))
                         : fmt::format("Did you mean {}? Known are {}", near, fmt::join(names, ", ")));
  }
  const std::string_view text = std::string_view(override_text).substr(equals + 1);
  const bool is_factor = parse_factor(text, "--set " + name) != 0;
  property->given = parse_override(*property, text);
  property->source = "--set " + name;
  property->measured = false;
  if (!is_factor) property->of_nodes.clear();
}

}  // namespace

std::vector<CostProperty> cost_properties(const PlatformDocument& document,
                                          const std::vector<std::string>& overrides) {
  std::vector<CostProperty> properties = known_properties();
  const std::set<std::string_view> in_zones = collect(document, properties);
  const auto is_replaced = [&](const CostProperty& property) {
    const std::string name = fmt::format("{}=", property.name);
    return std::ranges::any_of(overrides, [&](const std::string& text) {
      return text.starts_with(name) && parse_factor(text.substr(name.size()), "--set " + text) == 0;
    });
  };
  for (const CostProperty& property : properties)
    if (property.given && !in_zones.contains(property.name) && !is_replaced(property) &&
        !has_other_hosts(document))
      check_all_hosts_have(document, property);
  for (const auto& text : overrides)
    apply(text, properties);
  return properties;
}

std::vector<CostProperty> read_cost_properties(const std::filesystem::path& file,
                                               const std::vector<std::string>& overrides) {
  return cost_properties(PlatformDocument(file), overrides);
}

std::vector<Node> nodes_of(const PlatformDocument& document, const std::vector<CostProperty>& properties) {
  std::vector<Node> nodes;
  for (const NodeElement& one : unlike_nodes(document))
    nodes.push_back(
        {.name = one.name, .cores = cores_of(one.element), .speed = one.element.attribute("speed").value()});
  // SimGrid gives a host one core that says nothing. Where no host says anything, nobody has thought of it.
  if (std::ranges::any_of(nodes, [](const Node& node) { return node.cores.has_value(); }))
    for (Node& node : nodes)
      node.cores = node.cores.value_or(1);
  const auto take = [&](std::string_view name, double Node::*of_node) {
    const auto property = std::ranges::find(properties, name, &CostProperty::name);
    for (std::size_t node = 0; node < property->of_nodes.size(); ++node)
      nodes[node].*of_node = property->of_nodes[node];
  };
  take("memory_bandwidth", &Node::memory_bandwidth);
  take("memory_bandwidth_per_core", &Node::memory_bandwidth_per_core);
  take("memory_size", &Node::memory_size);
  return node_list(document) || kinds_of(nodes).size() > 1 ? nodes : std::vector<Node>();
}

std::vector<Node> read_nodes(const std::filesystem::path& file, const std::vector<CostProperty>& properties) {
  return nodes_of(PlatformDocument(file), properties);
}

bool is_property(const std::string& name) {
  const std::vector<std::string> names = names_of_overrides();
  return std::ranges::find(names, name) != names.end();
}

namespace {

void refuse_one_name_twice(const std::vector<std::string>& overrides) {
  std::map<std::string_view, std::string_view> known;
  for (const std::string_view text : overrides) {
    const std::size_t equals = text.find('=');
    if (equals == std::string_view::npos) continue;
    const auto [before, is_new] = known.emplace(text.substr(0, equals), text);
    if (!is_new)
      throw InputError("--set",
                       fmt::format("{} is given twice: {} and {}", before->first, before->second, text),
                       "Give it once");
  }
}

}  // namespace

std::vector<std::string> split_overrides(const std::vector<std::string>& texts) {
  const std::vector<std::string> names = names_of_overrides();
  std::vector<std::string> overrides;
  for (const std::string& text : texts) {
    std::size_t begin = 0;
    for (std::size_t comma = text.find(','); comma != std::string::npos; comma = text.find(',', comma + 1)) {
      const std::string next = text.substr(comma + 1, text.find('=', comma) - comma - 1);
      if (!next.starts_with(link_change_mark) && std::ranges::find(names, next) == names.end()) continue;
      overrides.push_back(text.substr(begin, comma - begin));
      begin = comma + 1;
    }
    overrides.push_back(text.substr(begin));
  }
  refuse_one_name_twice(overrides);
  return overrides;
}

}  // namespace finegrain::platform
