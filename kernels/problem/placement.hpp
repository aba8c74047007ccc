// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <vector>

namespace finegrain::problem {

/// More ranks than any machine has. A larger number is a typing error, which would otherwise be noticed only
/// when memory runs out.
inline constexpr int most_ranks = 10'000'000;

/// Which node a rank runs on. It is independent of what the rank owns.
class Placement {
 public:
  /// Block: consecutive ranks fill a node before the next one starts; the last node may hold fewer.
  /// @throws InputError if ranks < 1 or > most_ranks, or ranks_per_node < 1
  Placement(int ranks, int ranks_per_node);
  /// As given. @param nodes_of_ranks  shape [ranks]
  /// @pre nodes are numbered from 0, and each holds a rank
  explicit Placement(std::vector<int> nodes_of_ranks);

  int ranks() const { return ranks_; }
  int nodes() const { return nodes_; }
  int node(int rank) const {
    return nodes_of_ranks_.empty() ? rank / ranks_per_node_ : nodes_of_ranks_[static_cast<std::size_t>(rank)];
  }
  bool same_node(int a, int b) const { return node(a) == node(b); }
  /// In ascending order.
  std::vector<int> ranks_of(int node) const;
  /// On the fullest node.
  int most_ranks_on_a_node() const { return most_ranks_on_a_node_; }

  friend bool operator==(const Placement&, const Placement&) = default;

 private:
  int ranks_;
  int ranks_per_node_;  ///< a block placement's
  int nodes_;
  int most_ranks_on_a_node_;
  std::vector<int> nodes_of_ranks_;               ///< empty: block
  std::vector<std::vector<int>> ranks_of_nodes_;  ///< empty: block
};

/// Rank r is on node r modulo the number of nodes. There are as many nodes as in a block placement.
/// @throws InputError as for a block placement
Placement cyclic_placement(int ranks, int ranks_per_node);

}  // namespace finegrain::problem
