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
  }
  return "";
}

PlacementRule parse_placement_rule(std::string_view text, std::string_view place) {
  for (const auto rule : {PlacementRule::block, PlacementRule::cyclic, PlacementRule::communication})
    if (to_string(rule) == text) return rule;
  throw InputError(place, fmt::format("'{}' is no placement of ranks on nodes", text),
                   "Give block, cyclic or communication");
}

problem::Placement placement_by(PlacementRule rule, int ranks, int ranks_per_node,
                                const std::function<RankGraph()>& graph) {
  switch (rule) {
    case PlacementRule::block:
      break;
    case PlacementRule::cyclic:
      return problem::cyclic_placement(ranks, ranks_per_node);
    case PlacementRule::communication:
      if (problem::Placement(ranks, ranks_per_node).nodes() == 1) break;
      return communication_placement(graph(), ranks_per_node);
  }
  return {ranks, ranks_per_node};
}

problem::Placement placement_by(PlacementRule rule, const Schedule& schedule) {
  return placement_by(rule, schedule.run.ranks, schedule.run.ranks_per_node,
                      [&] { return rank_graph(schedule); });
}

}  // namespace finegrain::graph
