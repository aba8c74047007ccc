// SPDX-License-Identifier: MIT
#pragma once

#include <span>

#include "kernels/problem/placement.hpp"

namespace finegrain::problem {

// Placements on nodes that hold different numbers of ranks.

/// Block: consecutive ranks fill each node up to its own number before the next one starts.
/// @param most_of_nodes  ranks that each node can hold, at least 1, in the order of the nodes
/// @throws InputError if they are fewer than the ranks
Placement filled_placement(int ranks, std::span<const int> most_of_nodes);

/// Cyclic: the ranks are dealt out one by one to the nodes that have room, which are as many as filled ones.
/// @throws InputError as above
Placement dealt_placement(int ranks, std::span<const int> most_of_nodes);

/// Whether each rank is on the same node. @pre they have equally many ranks
bool are_on_same_nodes(const Placement& a, const Placement& b);

}  // namespace finegrain::problem
