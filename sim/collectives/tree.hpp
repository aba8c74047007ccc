// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "sim/collectives/algorithm.hpp"

namespace finegrain::collectives {

/// A rank's place in a tree of all ranks.
struct Tree {
  int parent = -1;            ///< -1: it is the root
  std::vector<int> children;  ///< in the order in which they are served
};

/// `fan` chains that begin at the root; the first ones are a rank longer than the last.
Tree chains(const Call& call, int fan);
/// Each rank has two children; levels are filled one after the other.
Tree binary_tree(const Call& call);
/// A binary tree whose post-order is the order of the ranks, so that an operation that does not commute can
/// be carried out along it. Its root is the last rank.
Tree in_order_binary_tree(const Call& call);
/// The parent of a rank's number is the number without its highest bit.
Tree binomial_tree(const Call& call);
/// The parent of a rank's number is the number without its lowest bit: subtrees are consecutive ranks.
Tree in_order_binomial_tree(const Call& call);
/// The same with digits of another radix; the largest subtree first.
Tree knomial_tree(const Call& call, int radix);

/// Ranks in the subtree of one, counted from the root on, of an in-order binomial tree.
int in_order_subtree(const Call& call, int number);

}  // namespace finegrain::collectives
