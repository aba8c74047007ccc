// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

#include "sim/graph/rank_graph.hpp"

namespace finegrain::graph {

/// How ranks come to nodes: block fills one after the other, cyclic deals them out, communication puts those
/// together that exchange the most bytes. What a rank owns, and sends, is the same.
enum class PlacementRule : std::uint8_t { block, cyclic, communication };

std::string_view to_string(PlacementRule rule);
/// @throws InputError if there is no such rule. @param place  for errors, e.g. "--placement"
PlacementRule parse_placement_rule(std::string_view text, std::string_view place);

/// @param graph  called for the ranks' graph where the rule asks for it
problem::Placement placement_by(PlacementRule rule, int ranks, int ranks_per_node,
                                const std::function<RankGraph()>& graph);
problem::Placement placement_by(PlacementRule rule, const Schedule& schedule);

}  // namespace finegrain::graph
