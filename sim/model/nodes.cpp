// SPDX-License-Identifier: MIT
#include "sim/model/nodes.hpp"

#include <algorithm>

namespace finegrain {

std::vector<NodePrediction> parts_of_nodes(std::span<const RankPrediction> ranks,
                                           const Placement& placement) {
  std::vector<NodePrediction> nodes(static_cast<std::size_t>(placement.nodes()));
  for (int r = 0; r < placement.ranks(); ++r) {
    const RankPrediction& rank = ranks[static_cast<std::size_t>(r)];
    NodePrediction& parts = nodes[static_cast<std::size_t>(placement.node(r))];
    parts.compute_s = std::max(parts.compute_s, rank.compute_s);
    parts.pack_s = std::max(parts.pack_s, rank.pack_s);
    parts.local_s = std::max(parts.local_s, rank.local_s);
    parts.remote_s += rank.remote_s;
    parts.unpack_s = std::max(parts.unpack_s, rank.unpack_s);
  }
  return nodes;
}

const NodePrediction& slowest(std::span<const NodePrediction> nodes) {
  return *std::ranges::max_element(nodes, {}, &NodePrediction::time_s);
}

}  // namespace finegrain
