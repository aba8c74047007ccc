// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <vector>

#include "sim/graph/rank_graph.hpp"

namespace finegrain::graph {

/// All that two ranks exchange. first < second
struct PairTraffic {
  int first = 0;
  int second = 0;
  pattern::Volume forth;  ///< from the first to the second
  pattern::Volume back;

  std::int64_t bytes() const { return forth.bytes + back.bytes; }
  friend bool operator==(const PairTraffic&, const PairTraffic&) = default;
};

/// Every pair of ranks that exchange anything, the most bytes first; of equals the lowest ranks.
std::vector<PairTraffic> heaviest_pairs(const RankGraph& graph);

/// How many ranks each rank sends to or receives from. Shape [ranks]
std::vector<std::size_t> degrees(const RankGraph& graph);

/// Groups of ranks that nothing connects.
std::size_t connected_components(const RankGraph& graph);

pattern::Volume total_volume(const RankGraph& graph);

/// The volume of what crosses from a node to another.
pattern::Volume volume_between_nodes(const RankGraph& graph, const problem::Placement& placement);

}  // namespace finegrain::graph
