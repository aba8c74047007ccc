// SPDX-License-Identifier: MIT
// Regular networks: one <cluster>, or one for each rail.
#include <fmt/format.h>

#include <array>

#include "sim/platform/rails.hpp"
#include "sim/platform_make/made_xml.hpp"
#include "sim/platform_make/xml_parts.hpp"

namespace finegrain::platform_make {
namespace {

/// One network of all nodes, or that of one of their rails.
pugi::xml_node add_cluster(pugi::xml_node owner, int rail, const ClusterShape& shape,
                           const Numbers& numbers) {
  pugi::xml_node cluster = owner.append_child("cluster");
  set(cluster, "id", rail == 0 ? std::string("cluster") : fmt::format("rail{}", rail));
  set(cluster, "prefix", platform::rail_host("node-", rail));
  set(cluster, "suffix", "");
  set(cluster, "radical", fmt::format("0-{}", shape.places - 1));
  set(cluster, "speed", speed_of(numbers));
  set(cluster, "core", numbers.find("cores")->second.text);
  if (!shape.topology.empty()) {
    set(cluster, "topology", shape.topology);
    set(cluster, "topo_parameters", shape.parameters);
  }
  set(cluster, "bw", numbers.find("link_bandwidth")->second.text);
  set(cluster, "lat", numbers.find("link_latency")->second.text);
  set(cluster, "sharing_policy", "SPLITDUPLEX");
  return cluster;
}

/// The zone around the networks of all rails.
void begin_rails(pugi::xml_node zone, const Numbers& numbers) {
  set(zone, "id", "machine");
  set(zone, "routing", "Full");
  add_comment(
      zone,
      "Each rail is a network of its own, of which a node has one adapter. A message goes by one rail: "
      "its sender's, or as rail_choice says. A message of more than stripe_above bytes is divided among "
      "all.");
  add_prop(zone, "rails", numbers.find("rails")->second);
  for (const char* name : {"rail_choice", "stripe_above"})
    if (const auto number = numbers.find(name); number != numbers.end()) add_prop(zone, name, number->second);
}

}  // namespace

std::string cluster_xml(const ClusterShape& shape, const Numbers& numbers, const std::string& sources,
                        const std::vector<std::string>& notes) {
  pugi::xml_document document;
  pugi::xml_node platform = begin_platform(document, sources, notes);
  const auto explain = [&](const std::string& what, const char* name) {
    const auto number = numbers.find(name);
    if (number != numbers.end()) add_comment(platform, fmt::format("{}: {}", what, number->second.origin));
  };
  explain("core", "cores");
  add_comment(platform, origin_of_speed(numbers));
  explain("bw", "link_bandwidth");
  explain("lat, of each link", "link_latency");
  add_comment(platform, fmt::format("{}: {}", shape.topology.empty() ? "radical" : "topo_parameters",
                                    shape.explanation));
  constexpr std::array<const char*, 9> of_shape = {
      "levels",           "ports",         "ratio",     "nodes", "groups", "switches",
      "nodes_per_switch", "links_between", "dimensions"};
  for (const char* name : of_shape)
    explain(fmt::format("{} {}", name, numbers.contains(name) ? numbers.find(name)->second.text : ""), name);
  const int rails = numbers.contains("rails") ? std::stoi(numbers.find("rails")->second.text) : 1;
  const bool has_rails = rails > 1;
  pugi::xml_node owner = has_rails ? platform.append_child("zone") : add_cluster(platform, 0, shape, numbers);
  if (has_rails) begin_rails(owner, numbers);
  if (shape.nodes < shape.places || has_rails)
    add_prop(owner, "nodes",
             {std::to_string(shape.nodes),
              fmt::format("the first ones are there; the network has room for {}", shape.places)});
  add_costs(owner, numbers);
  for (const char* name : {"sockets", "memory_size"})
    if (const auto number = numbers.find(name); number != numbers.end())
      add_prop(owner, name, number->second);
  for (int rail = 0; has_rails && rail < rails; ++rail)  // after the properties: SimGrid wants these first
    add_cluster(owner, rail, shape, numbers);
  return finished(document);
}

}  // namespace finegrain::platform_make
