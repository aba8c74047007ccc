// SPDX-License-Identifier: MIT
#include "sim/model/nodes.hpp"

#include <algorithm>

namespace finegrain {

std::span<const RankPrediction> ranks_on(int node, const Placement& placement,
                                         std::span<const RankPrediction> ranks) {
  return ranks.subspan(static_cast<std::size_t>(placement.first_rank(node)),
                       static_cast<std::size_t>(placement.ranks_on(node)));
}

std::vector<NodePrediction> parts_of_nodes(std::span<const RankPrediction> ranks,
                                           const Placement& placement) {
  std::vector<NodePrediction> nodes;
  for (int node = 0; node < placement.nodes(); ++node) {
    NodePrediction parts;
    for (const RankPrediction& rank : ranks_on(node, placement, ranks)) {
      parts.compute_s = std::max(parts.compute_s, rank.compute_s);
      parts.pack_s = std::max(parts.pack_s, rank.pack_s);
      parts.local_s = std::max(parts.local_s, rank.local_s);
      parts.remote_s += rank.remote_s;
      parts.unpack_s = std::max(parts.unpack_s, rank.unpack_s);
    }
    nodes.push_back(parts);
  }
  return nodes;
}

const NodePrediction& slowest(std::span<const NodePrediction> nodes) {
  return *std::ranges::max_element(nodes, {}, &NodePrediction::time_s);
}

}  // namespace finegrain
