// SPDX-License-Identifier: MIT
#include "sim/platform_make/made_xml.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <pugixml.hpp>
#include <set>
#include <sstream>
#include <string_view>
#include <utility>

#include "sim/platform_make/needed_numbers.hpp"
#include "sim/platform_make/xml_parts.hpp"
#include "traces/io/input_error.hpp"
#include "traces/io/units.hpp"

namespace finegrain::platform_make {
namespace {

/// What a compute node of a fabric has.
struct ComputeNode {
  std::size_t vertex;
  Number cores;
  std::optional<Number> sockets;
  std::optional<Number> memory_size;
};

std::optional<Number> found(const Numbers& of_node, const Numbers& of_all, const char* name) {
  if (const auto own = of_node.find(name); own != of_node.end()) return own->second;
  if (const auto common = of_all.find(name); common != of_all.end()) return common->second;
  return std::nullopt;
}

std::vector<ComputeNode> compute_nodes(const Fabric& fabric, const Numbers& numbers,
                                       const NodeNumbers& of_nodes) {
  std::vector<ComputeNode> nodes;
  for (std::size_t vertex = 0; vertex < fabric.vertices.size(); ++vertex) {
    const Vertex& one = fabric.vertices[vertex];
    const auto own = of_nodes.find(one.name);
    if (one.is_switch || (!of_nodes.empty() && own == of_nodes.end())) continue;
    const Numbers of_node = own == of_nodes.end() ? Numbers() : own->second;
    const auto cores = found(of_node, numbers, "cores");
    if (!cores)
      throw InputError(one.name, "its NodeName line has neither CoresPerSocket nor CPUs",
                       "Add them, or give all nodes' cores, e.g. 'node: 2 x 64 cores'");
    nodes.push_back(
        {vertex, *cores, found(of_node, numbers, "sockets"), found(of_node, numbers, "memory_size")});
  }
  if (nodes.empty())
    throw InputError("", "no node of the network has a NodeName line", "Give the slurm.conf of this cluster");
  return nodes;
}

bool all_have(const std::vector<ComputeNode>& nodes, std::optional<Number> ComputeNode::*number) {
  return std::ranges::all_of(nodes, [&](const ComputeNode& node) { return (node.*number).has_value(); });
}

bool all_have_one(const std::vector<ComputeNode>& nodes, std::optional<Number> ComputeNode::*number) {
  return all_have(nodes, number) && std::ranges::all_of(nodes, [&](const ComputeNode& node) {
           return (node.*number)->text == (nodes.front().*number)->text;
         });
}

/// Adds comments, each only where it differs from the one before.
class ChangingComment {
 public:
  void add(pugi::xml_node parent, const std::string& text) {
    if (text == last_) return;
    add_comment(parent, text);
    last_ = text;
  }

 private:
  std::string last_;
};

void add_hosts(pugi::xml_node zone, const Fabric& fabric, const Numbers& numbers,
               const std::vector<ComputeNode>& nodes) {
  const bool has_memory_sizes =
      all_have(nodes, &ComputeNode::memory_size) && !all_have_one(nodes, &ComputeNode::memory_size);
  const Number& memory_bandwidth = numbers.find("memory_bandwidth")->second;
  add_comment(zone, origin_of_speed(numbers));
  ChangingComment origin;
  for (const ComputeNode& node : nodes) {
    origin.add(zone, fmt::format("core: {}", node.cores.origin));
    pugi::xml_node host = zone.append_child("host");
    set(host, "id", fabric.vertices[node.vertex].name);
    set(host, "speed", speed_of(numbers));
    set(host, "core", node.cores.text);
    if (has_memory_sizes) add_prop(host, "memory_size", *node.memory_size);
    if (memory_bandwidth.is_typical && node.cores.text != nodes.front().cores.text)
      add_prop(host, "memory_bandwidth",
               {typical_memory_bandwidth(std::stoll(node.cores.text)), memory_bandwidth.origin});
  }
}

/// Switches, and nodes on which nothing runs.
void add_routers(pugi::xml_node zone, const Fabric& fabric, const std::vector<ComputeNode>& nodes) {
  std::set<std::size_t> hosts;
  for (const ComputeNode& node : nodes)
    hosts.insert(node.vertex);
  ChangingComment origin;
  for (std::size_t vertex = 0; vertex < fabric.vertices.size(); ++vertex) {
    if (hosts.contains(vertex)) continue;
    const Vertex& one = fabric.vertices[vertex];
    origin.add(zone, one.is_switch ? "switches" : "nodes that slurm.conf does not have: nothing runs there");
    set(zone.append_child("router"), "id", one.name);
  }
}

void add_links(pugi::xml_node zone, const Fabric& fabric, const Numbers& numbers,
               const std::vector<std::size_t>& cables_of_link) {
  const Number& latency = numbers.find("link_latency")->second;
  add_comment(zone, fmt::format("latency of each link: {}", latency.origin));
  ChangingComment origin;
  for (std::size_t link = 0; link < fabric.cables.size(); ++link) {
    const Cable& cable = fabric.cables[link];
    const Number& bandwidth = cable.bandwidth ? *cable.bandwidth : numbers.find("link_bandwidth")->second;
    origin.add(zone, fmt::format("bandwidth: {}", bandwidth.origin));
    pugi::xml_node element = zone.append_child("link");
    set(element, "id", cable.name);
    set(element, "bandwidth", bandwidth.text);
    set(element, "latency", latency.text);
    set(element, "sharing_policy", "SPLITDUPLEX");
    if (cables_of_link[link] == 1) continue;
    pugi::xml_node prop = element.append_child("prop");
    set(prop, "id", "cables");
    set(prop, "value", std::to_string(cables_of_link[link]));
  }
}

void add_step(pugi::xml_node route, const Fabric& fabric, const Step& step) {
  pugi::xml_node part = route.append_child("link_ctn");
  set(part, "id", fabric.cables[step.cable].name);
  set(part, "direction", step.is_forwards ? "UP" : "DOWN");
}

/// A route for each two compute nodes, in both directions: the way back may be another.
void add_all_routes(pugi::xml_node zone, const Fabric& fabric, const std::vector<ComputeNode>& nodes) {
  add_comment(zone,
              "Shortest routes. Where several are equally short, destinations are spread over them, as by "
              "the min hop "
              "routing of InfiniBand's subnet managers.");
  BalancedRoutes routes(fabric);
  for (const ComputeNode& to : nodes) {
    const NextSteps next = routes.to(to.vertex);
    for (const ComputeNode& from : nodes) {
      const std::vector<Step> steps = route_from(fabric, next, from.vertex);
      if (steps.empty()) continue;
      pugi::xml_node route = zone.append_child("route");
      set(route, "src", fabric.vertices[from.vertex].name);
      set(route, "dst", fabric.vertices[to.vertex].name);
      set(route, "symmetrical", "NO");
      for (const Step& step : steps)
        add_step(route, fabric, step);
    }
  }
}

/// The connections, one hop each: SimGrid looks for the ways.
void add_hops(pugi::xml_node zone, const Fabric& fabric) {
  add_comment(
      zone,
      "One hop each: SimGrid takes the shortest way. Switches without nodes that have the same neighbours "
      "are one here, and cables side by side are one link: as if routing spread traffic perfectly. Where "
      "other ways are equally short, SimGrid always takes the same one.");
  for (std::size_t cable = 0; cable < fabric.cables.size(); ++cable)
    for (const bool is_forwards : {true, false}) {
      const Cable& one = fabric.cables[cable];
      pugi::xml_node route = zone.append_child("route");
      set(route, "src", fabric.vertices[is_forwards ? one.one : one.other].name);
      set(route, "dst", fabric.vertices[is_forwards ? one.other : one.one].name);
      set(route, "symmetrical", "NO");
      add_step(route, fabric, {cable, is_forwards});
    }
}

/// A fabric in which each two vertices have one cable at most, and how many each stands for.
struct Bundled {
  Fabric fabric;
  std::vector<std::size_t> cables;
};

/// SimGrid would lead routes through a node that has cables to several switches.
void check_single_ways(const Fabric& bundled) {
  std::set<std::size_t> seen;
  for (const Cable& cable : bundled.cables)
    for (const std::size_t end : {cable.one, cable.other})
      if (const Vertex& vertex = bundled.vertices[end]; !vertex.is_switch && !seen.insert(end).second)
        throw InputError(
            vertex.where,
            fmt::format("{} has cables to several switches, which a platform of more than {} nodes "
                        "cannot say",
                        vertex.name, most_nodes_with_routes),
            "Give the cables of one rail, or fewer nodes");
}

Bundled with_bundles(const Fabric& fabric, const Numbers& numbers) {
  Bundled bundled{{fabric.vertices, {}, fabric.notes}, {}};
  std::map<std::pair<std::size_t, std::size_t>, std::size_t> place_of;
  std::vector<double> bytes_per_s;
  for (const Cable& cable : fabric.cables) {
    const auto [place, is_new] = place_of.emplace(std::minmax(cable.one, cable.other), bundled.cables.size());
    const auto given = numbers.find("link_bandwidth");
    const Number& bandwidth = cable.bandwidth ? *cable.bandwidth : given->second;
    const double one = parse_bandwidth_bytes_per_s(bandwidth.text, cable.where);
    if (is_new) {
      bundled.fabric.cables.push_back(cable);
      bundled.cables.push_back(1);
      bytes_per_s.push_back(one);
      continue;
    }
    const std::size_t at = place->second;
    bytes_per_s[at] += one;
    ++bundled.cables[at];
    bundled.fabric.cables[at].bandwidth =
        Number{fmt::format("{:.10g}Gbps", bytes_per_s[at] * 8 / 1e9),
               fmt::format("{} cables together, the last of them {}", bundled.cables[at], bandwidth.origin)};
  }
  return bundled;
}

void check_names(const Fabric& fabric) {
  std::map<std::string, std::string> where_of;
  for (const Vertex& vertex : fabric.vertices) {
    const auto [place, is_new] = where_of.emplace(vertex.name, vertex.where);
    if (!is_new)
      throw InputError(
          vertex.where,
          fmt::format("{} is also the name of a switch or node at {}", vertex.name, place->second),
          "Give each its own");
  }
}

}  // namespace

std::string fabric_xml(const Fabric& fabric, const Numbers& numbers, const NodeNumbers& of_nodes,
                       const std::string& sources) {
  check_names(fabric);
  const std::vector<ComputeNode> nodes = compute_nodes(fabric, numbers, of_nodes);
  const bool has_routes = nodes.size() <= most_nodes_with_routes;
  const Bundled bundled = has_routes ? Bundled{fabric, std::vector<std::size_t>(fabric.cables.size(), 1)}
                                     : with_bundles(with_merged_switches(fabric), numbers);
  if (!has_routes) check_single_ways(bundled.fabric);
  pugi::xml_document document;
  pugi::xml_node platform = begin_platform(document, sources, fabric.notes);
  pugi::xml_node zone = platform.append_child("zone");
  set(zone, "id", "fabric");
  set(zone, "routing", has_routes ? "Full" : "Dijkstra");
  add_costs(zone, numbers);
  if (all_have_one(nodes, &ComputeNode::sockets)) add_prop(zone, "sockets", *nodes.front().sockets);
  if (all_have_one(nodes, &ComputeNode::memory_size))
    add_prop(zone, "memory_size", *nodes.front().memory_size);
  if (!all_have(nodes, &ComputeNode::memory_size) &&
      std::ranges::any_of(nodes, [](const ComputeNode& node) { return node.memory_size.has_value(); }))
    add_comment(zone, "memory_size: some nodes have no RealMemory, so none has one here");
  add_hosts(zone, fabric, numbers, nodes);
  add_routers(zone, fabric, nodes);
  add_links(zone, bundled.fabric, numbers, bundled.cables);
  if (has_routes) {
    add_all_routes(zone, bundled.fabric, nodes);
  } else {
    add_hops(zone, bundled.fabric);
  }
  return finished(document);
}

FileKind made_platform_kind() {
  return {"a platform of finegrain platform make", {".xml"}, [](std::string_view content) {
            const std::string_view before = content.substr(0, content.find("<platform "));
            return content.starts_with("<?xml") && before.find(made_mark) != std::string_view::npos;
          }};
}

}  // namespace finegrain::platform_make
