// SPDX-License-Identifier: MIT
#include "sim/platform_make/slurm_switches.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "traces/io/host_names.hpp"
#include "traces/io/input_error.hpp"
#include "traces/io/units.hpp"

namespace finegrain::platform_make {
namespace {

/// Whether Slurm's LinkSpeed has a unit.
std::optional<Number> bandwidth_of_link_speed(const std::string& speed, const std::string& where) {
  try {
    parse_bandwidth_bytes_per_s(speed, where);
    return Number{speed, fmt::format("{}: LinkSpeed={}", where, speed)};
  } catch (const InputError&) {
    return std::nullopt;
  }
}

/// The nodes and switches of a topology by their names.
class TopologyVertices {
 public:
  explicit TopologyVertices(Fabric& fabric) : fabric_(fabric) {}
  std::size_t add(const std::string& name, bool is_switch, const std::string& where) {
    const auto [place, is_new] = by_name_.emplace(name, fabric_.vertices.size());
    if (!is_new)
      throw InputError(where,
                       fmt::format("{} is a second time a {} (first at {})", name,
                                   is_switch ? "switch" : "node", fabric_.vertices[place->second].where),
                       "Name each once");
    fabric_.vertices.push_back({name, is_switch, where});
    return place->second;
  }
  /// Slurm takes a node below several switches: it has a cable to each, and a note says so.
  std::size_t node_of_switch(const std::string& name, const std::string& where) {
    const std::optional<std::size_t> known = find(name);
    if (!known || fabric_.vertices[*known].is_switch || fabric_.vertices[*known].where == where)
      return add(name, false, where);
    fabric_.notes.push_back(fmt::format("{}: {} is also below the switch at {}, and has a cable to each",
                                        where, name, fabric_.vertices[*known].where));
    return *known;
  }
  std::optional<std::size_t> find(const std::string& name) const {
    const auto place = by_name_.find(name);
    return place == by_name_.end() ? std::nullopt : std::optional(place->second);
  }

 private:
  Fabric& fabric_;
  std::map<std::string, std::size_t> by_name_;
};

/// A cable from a vertex to the switch above it.
void connect(Fabric& fabric, std::size_t below, std::size_t above, const std::string& where,
             std::optional<Number> bandwidth = std::nullopt) {
  const std::string& name = fabric.vertices[above].name;
  fabric.cables.push_back({below, above, fmt::format("{}_{}", fabric.vertices[below].name, name),
                           std::move(bandwidth), fmt::format("{}: {}", where, name)});
}

/// Puts a switch above each `number` consecutive ones of `level`. @returns these switches
std::vector<std::size_t> joined(const std::vector<std::size_t>& level, std::size_t number, Fabric& fabric,
                                TopologyVertices& vertices, const std::string& where) {
  std::vector<std::size_t> above;
  for (std::size_t first = 0; first < level.size(); first += number) {
    const std::size_t last = std::min(first + number, level.size()) - 1;
    const std::string name =
        fmt::format("{}..{}", fabric.vertices[level[first]].name, fabric.vertices[level[last]].name);
    above.push_back(vertices.add(name, true, where));
    for (std::size_t block = first; block <= last; ++block)
      connect(fabric, level[block], above.back(), where);
  }
  return above;
}

}  // namespace

Fabric fabric_of_switches(const std::vector<SlurmSwitch>& switches, const std::string& file) {
  Fabric fabric;
  TopologyVertices vertices(fabric);
  for (const SlurmSwitch& one : switches) {
    vertices.add(one.name, true, one.where);
    if (one.nodes.empty() && one.switches.empty())
      throw InputError(one.where, fmt::format("switch {} has no nodes and no switches below", one.name),
                       "Add them");
  }
  for (const SlurmSwitch& one : switches) {
    const std::size_t above = *vertices.find(one.name);
    const auto bandwidth = bandwidth_of_link_speed(one.link_speed, one.where);
    if (!one.link_speed.empty() && !bandwidth)
      fabric.notes.push_back(
          fmt::format("{}: LinkSpeed={} has no unit, and is not used", one.where, one.link_speed));
    if (!one.nodes.empty())
      for (const std::string& node : names_in_hostlist(one.nodes, one.where))
        connect(fabric, vertices.node_of_switch(node, one.where), above, one.where, bandwidth);
    if (one.switches.empty()) continue;
    for (const std::string& below : names_in_hostlist(one.switches, one.where)) {
      const auto vertex = vertices.find(below);
      if (!vertex || *vertex == above || !fabric.vertices[*vertex].is_switch)
        throw InputError(one.where, fmt::format("there is no switch {} below {}", below, one.name),
                         "Describe it, too");
      connect(fabric, *vertex, above, one.where, bandwidth);
    }
  }
  if (count_nodes(fabric) == 0)
    throw InputError(file, "no switch has nodes", "Give a file of topology/tree or topology/block");
  return fabric;
}

Fabric fabric_of_blocks(const std::vector<SlurmBlock>& blocks, const std::vector<std::int64_t>& sizes,
                        const std::string& where_sizes) {
  Fabric fabric;
  TopologyVertices vertices(fabric);
  std::vector<std::size_t> level;
  for (const SlurmBlock& block : blocks) {
    level.push_back(vertices.add(block.name, true, block.where));
    if (block.nodes.empty())
      throw InputError(block.where, fmt::format("block {} has no nodes", block.name), "Add them");
    for (const std::string& node : names_in_hostlist(block.nodes, block.where))
      connect(fabric, vertices.add(node, false, block.where), level.back(), block.where);
  }
  for (std::size_t size = 1; size < sizes.size() && level.size() > 1; ++size) {
    if (sizes[size] <= sizes[size - 1] || sizes[size] % sizes[size - 1] != 0)
      throw InputError(
          where_sizes,
          fmt::format("a block of {} is not made of several of {}", sizes[size], sizes[size - 1]),
          "Give block sizes of which each is a multiple of the one before");
    level = joined(level, static_cast<std::size_t>(sizes[size] / sizes[size - 1]), fabric, vertices,
                   fmt::format("{} (blocks of {} nodes)", where_sizes, sizes[size]));
  }
  if (level.size() > 1)
    joined(level, level.size(), fabric, vertices, fmt::format("{} (all blocks)", where_sizes));
  return fabric;
}

}  // namespace finegrain::platform_make
