// SPDX-License-Identifier: MIT
#pragma once

namespace finegrain {

/// More ranks than any machine has: a slip of the keyboard, which would only be noticed when memory runs out.
inline constexpr int most_ranks = 10'000'000;

/// Which node a rank runs on: consecutive ranks fill a node before the next one starts.
class Placement {
 public:
  /// @throws InputError if ranks < 1 or > most_ranks, or ranks_per_node < 1
  Placement(int ranks, int ranks_per_node);

  int ranks() const { return ranks_; }
  int ranks_per_node() const { return ranks_per_node_; }
  /// ceil(ranks / ranks_per_node); the last node may hold fewer ranks
  int nodes() const { return (ranks_ - 1) / ranks_per_node_ + 1; }
  int node(int rank) const { return rank / ranks_per_node_; }
  bool same_node(int a, int b) const { return node(a) == node(b); }
  int first_rank(int node) const { return node * ranks_per_node_; }
  int ranks_on(int node) const;

 private:
  int ranks_;
  int ranks_per_node_;
};

}  // namespace finegrain
