// SPDX-License-Identifier: MIT
#include "sim/graph/placement_rule.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "kernels/problem/uneven_placement.hpp"
#include "sim/graph/communication_placement.hpp"
#include "traces/io/input_error.hpp"
#include "traces/io/units.hpp"

namespace finegrain::graph {
namespace {

struct NamedRule {
  PlacementRule rule;
  std::string_view name;
  std::string_view help;
};

constexpr std::array named_rules{
    NamedRule{PlacementRule::block, "block", "fills one node after the other"},
    NamedRule{PlacementRule::cyclic, "cyclic", "deals the ranks out one by one"},
    NamedRule{PlacementRule::communication, "communication",
              "puts ranks that exchange most on one node; see finegrain graph"},
    NamedRule{PlacementRule::topology, "topology",
              "the same, and puts nodes that exchange much near each other on the platform"}};

}  // namespace

std::string_view to_string(PlacementRule rule) {
  return std::ranges::find(named_rules, rule, &NamedRule::rule)->name;
}

std::vector<std::string> placement_names() {
  std::vector<std::string> names;
  for (const NamedRule& named : named_rules)
    names.emplace_back(named.name);
  return names;
}

std::string placement_help() {
  std::string help;
  for (const NamedRule& named : named_rules)
    help += fmt::format("{}{} ({})", help.empty() ? "" : ", ", named.name, named.help);
  return help;
}

PlacementRule parse_placement_rule(std::string_view text, std::string_view place) {
  const auto named = std::ranges::find(named_rules, text, &NamedRule::name);
  if (named != named_rules.end()) return named->rule;
  throw InputError(place, fmt::format("'{}' is no placement of ranks on nodes", text),
                   fmt::format("Give one of {}", fmt::join(placement_names(), ", ")));
}

bool looks_at_messages(PlacementRule rule) {
  return rule == PlacementRule::communication || looks_at_routes(rule);
}

bool looks_at_routes(PlacementRule rule) {
  return rule == PlacementRule::topology;
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
        throw InputError("placement",
                         fmt::format("topology places on at most {} (here are {})",
                                     format_count(most_nodes_of_topology, "node"), nodes),
                         "Use the placement communication");
      if (nodes == 1) break;
      return topology_placement(graph(), ranks_per_node, hops_of(nodes));
  }
  return {ranks, ranks_per_node};
}

problem::Room room_on(const platform::Platform& platform, int threads_per_rank) {
  if (platform.listed && !platform.listed->nodes_of_ranks.empty())
    return {.most_of_nodes = {}, .nodes_of_ranks = platform.listed->nodes_of_ranks};
  problem::Room room{.most_of_nodes = ranks_that_fit_nodes(platform, threads_per_rank), .nodes_of_ranks = {}};
  room.deals_to_all = platform.listed.has_value() && !room.empty();
  return room;
}

problem::Placement placement_by(PlacementRule rule, int ranks, const problem::Room& room) {
  if (rule == PlacementRule::block) return problem::filled_placement(ranks, room);
  if (!room.nodes_of_ranks.empty())
    throw InputError("placement", fmt::format("{}, and a rankfile gives each rank its node", to_string(rule)),
                     "Leave one of them out");
  if (rule == PlacementRule::cyclic) return problem::dealt_placement(ranks, room);
  throw InputError("placement",
                   fmt::format("{} puts equally many ranks on each node (the platform's nodes have different "
                               "numbers of cores or slots)",
                               to_string(rule)),
                   "Give the ranks of a node, or the placement block or cyclic");
}

FilledRoom fill(PlacementRule rule, int ranks, problem::Room room) {
  const bool is_cyclic = rule == PlacementRule::cyclic;
  const bool is_dealt = is_cyclic && room.nodes_of_ranks.empty();
  const problem::Placement block = problem::filled_placement(ranks, room);
  const problem::Placement own = is_dealt ? problem::dealt_placement(ranks, room) : block;
  const int most = (is_dealt && room.deals_to_all ? own : block).most_ranks_on_a_node();
  const bool is_as_if_alike = is_cyclic
                                  ? is_dealt && are_on_same_nodes(own, problem::cyclic_placement(ranks, most))
                                  : are_on_same_nodes(own, problem::Placement(ranks, most));
  return {most, is_as_if_alike ? problem::Room{} : std::move(room)};
}

problem::Placement placement_by(PlacementRule rule, const Schedule& schedule, const HopsOf& hops_of) {
  return placement_by(
      rule, schedule.run.ranks, schedule.run.ranks_per_node, [&] { return rank_graph(schedule); }, hops_of);
}

}  // namespace finegrain::graph
