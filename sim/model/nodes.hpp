// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <vector>

#include "kernels/problem/placement.hpp"
#include "sim/model/prediction.hpp"

namespace finegrain {

/// The parts of every node: the largest of its ranks' compute, pack, local and unpack, and the sum of their
/// remote. time_s stays 0: what it is depends on the policy.
std::vector<NodePrediction> parts_of_nodes(std::span<const RankPrediction> ranks, const Placement& placement);

/// The node with the largest time_s, the first of equals. @pre there is one
const NodePrediction& slowest(std::span<const NodePrediction> nodes);

}  // namespace finegrain
