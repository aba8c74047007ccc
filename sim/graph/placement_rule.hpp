// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/problem/uneven_placement.hpp"
#include "sim/graph/rank_graph.hpp"
#include "sim/graph/topology_placement.hpp"
#include "sim/platform/platform.hpp"

namespace finegrain::graph {

/// How ranks come to nodes: block fills one after the other, cyclic deals them out, communication puts those
/// together that exchange the most bytes, topology moreover puts those near that exchange many. What a rank
/// owns, and sends, is the same.
enum class PlacementRule : std::uint8_t { block, cyclic, communication, topology };

std::string_view to_string(PlacementRule rule);
/// The names of all rules, for flags.
std::vector<std::string> placement_names();
/// "block (one node after the other is filled), ...", of all rules
std::string placement_help();
/// @throws InputError if there is no such rule. @param place  for errors, e.g. "--placement"
PlacementRule parse_placement_rule(std::string_view text, std::string_view place);
/// Whether a placement depends on who sends what to whom, and so on the policy.
bool looks_at_messages(PlacementRule rule);
/// Whether it depends on the network, and so on the platform.
bool looks_at_routes(PlacementRule rule);

/// The hops between the platform's first `nodes` nodes. Empty: no platform is known, or several are.
using HopsOf = std::function<Hops(int nodes)>;

/// @param graph  called for the ranks' graph where the rule asks for it
/// @throws InputError if the rule is topology, and hops_of is empty or the nodes are too many
problem::Placement placement_by(PlacementRule rule, int ranks, int ranks_per_node,
                                const std::function<RankGraph()>& graph, const HopsOf& hops_of = {});
problem::Placement placement_by(PlacementRule rule, const Schedule& schedule, const HopsOf& hops_of = {});

/// The room of a platform's nodes: the ranks of its node list, or else their cores where these differ.
problem::Room room_on(const platform::Platform& platform, int threads_per_rank);

/// In the room of the nodes, or on the nodes that it gives the ranks. @pre it is not empty
/// @throws InputError if the ranks are more, or the rule is none for such nodes
problem::Placement placement_by(PlacementRule rule, int ranks, const problem::Room& room);

/// Ranks in a room.
struct FilledRoom {
  int ranks_per_node;  ///< the most on a node; of ranks that are dealt to the nodes which they fill, before
                       ///< that
  problem::Room room;  ///< empty where the rule puts ranks as if all nodes could hold ranks_per_node
};
/// @pre the room is not empty @throws InputError if there is too little room
FilledRoom fill(PlacementRule rule, int ranks, problem::Room room);

}  // namespace finegrain::graph
