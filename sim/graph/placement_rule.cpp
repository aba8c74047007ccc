// SPDX-License-Identifier: MIT
#include "sim/graph/placement_rule.hpp"

#include <fmt/format.h>

#include "sim/graph/communication_placement.hpp"
#include "traces/io/input_error.hpp"

namespace finegrain::graph {

std::string_view to_string(PlacementRule rule) {
  switch (rule) {
    case PlacementRule::block:
      return "block";
    case PlacementRule::cyclic:
      return "cyclic";
    case PlacementRule::communication:
      return "communication";
    case PlacementRule::topology:
      return "topology";
  }
  return "";
}

PlacementRule parse_placement_rule(std::string_view text, std::string_view place) {
  for (const auto rule :
       {PlacementRule::block, PlacementRule::cyclic, PlacementRule::communication, PlacementRule::topology})
    if (to_string(rule) == text) return rule;
  throw InputError(place, fmt::format("'{}' is no placement of ranks on nodes", text),
                   "Give block, cyclic, communication or topology");
}

PlacementRule parse_rule_of_any_platform(std::string_view text, std::string_view place) {
  const PlacementRule rule = parse_placement_rule(text, place);
  if (rule == PlacementRule::topology)
    throw InputError(place, "topology places ranks for one platform (here one placement is for all)",
                     "Give block, cyclic or communication");
  return rule;
}

problem::Placement placement_by(PlacementRule rule, int ranks, int ranks_per_node,
                                const std::function<RankGraph()>& graph, const HopsOf& hops_of) {
  const int nodes = problem::Placement(ranks, ranks_per_node).nodes();
  switch (rule) {
    case PlacementRule::block:
      break;
    case PlacementRule::cyclic:
      return problem::cyclic_placement(ranks, ranks_per_node);
    case PlacementRule::communication:
      if (nodes == 1) break;
      return communication_placement(graph(), ranks_per_node);
    case PlacementRule::topology:
      if (!hops_of)
        throw InputError("placement", "topology places ranks for one platform (it looks at its routes)",
                         "Give one platform, or another placement");
      if (nodes > most_nodes_of_topology)
        throw InputError(
            "placement",
            fmt::format("topology places on at most {} nodes (here are {})", most_nodes_of_topology, nodes),
            "Use the placement communication");
      if (nodes == 1) break;
      return topology_placement(graph(), ranks_per_node, hops_of(nodes));
  }
  return {ranks, ranks_per_node};
}

problem::Placement placement_by(PlacementRule rule, const Schedule& schedule, const HopsOf& hops_of) {
  return placement_by(
      rule, schedule.run.ranks, schedule.run.ranks_per_node, [&] { return rank_graph(schedule); }, hops_of);
}

}  // namespace finegrain::graph
