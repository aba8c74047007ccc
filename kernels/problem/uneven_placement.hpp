// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <vector>

#include "kernels/problem/placement.hpp"

namespace finegrain::problem {

// Placements on nodes that hold different numbers of ranks.

/// Where ranks have room. Empty: nodes hold equally many ranks, or only the last holds fewer.
struct Room {
  std::vector<int> most_of_nodes =
      {};  ///< ranks that each node can hold, at least 1, in the order of the nodes
  std::vector<int> nodes_of_ranks = {};  ///< a rankfile's: each rank has its node; empty: any has room for it

  /// Whether ranks that are dealt out go to all nodes, as mpirun deals them to those of a hostfile; otherwise
  /// only to as many as they fill.
  bool deals_to_all = false;

  bool empty() const { return most_of_nodes.empty() && nodes_of_ranks.empty(); }
  friend bool operator==(const Room&, const Room&) = default;
};

/// Each rank on the node that it was given. @throws InputError if there are more or fewer ranks
Placement given_placement(int ranks, const std::vector<int>& nodes_of_ranks);

/// Block: where each rank was given its node, there. @throws InputError as below
Placement filled_placement(int ranks, const Room& room);

/// Cyclic: the ranks are dealt out one by one to the nodes that have room.
/// @pre the room has no nodes_of_ranks @throws InputError if there is too little room
Placement dealt_placement(int ranks, const Room& room);

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
