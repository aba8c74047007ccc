// SPDX-License-Identifier: MIT
#include "sim/collectives/tree.hpp"

#include <algorithm>
#include <bit>

#include "sim/collectives/layout.hpp"

namespace finegrain::collectives {
namespace {

/// Numbers from the root on become ranks.
Tree rotated(const Call& call, Tree tree) {
  if (tree.parent >= 0) tree.parent = to_rank(call, tree.parent);
  for (int& child : tree.children)
    child = to_rank(call, child);
  return tree;
}

}  // namespace

Tree chains(const Call& call, int fan) {
  const int number = from_root(call, call.rank);
  const int others = call.ranks - 1;
  const int count = std::clamp(fan, 1, std::max(others, 1));
  const int shorter = others / count;
  const int longer_chains = others % count;
  // The first rank of each chain, and of the one that would follow the last.
  const auto head = [&](int chain) { return 1 + chain * shorter + std::min(chain, longer_chains); };
  Tree tree;
  if (number == 0) {
    for (int chain = 0; chain < count && head(chain) < call.ranks; ++chain)
      tree.children.push_back(head(chain));
    return rotated(call, tree);
  }
  int chain = 0;
  while (head(chain + 1) <= number)
    ++chain;
  tree.parent = number == head(chain) ? 0 : number - 1;
  if (number + 1 < head(chain + 1)) tree.children.push_back(number + 1);
  return rotated(call, tree);
}

Tree binary_tree(const Call& call) {
  const int number = from_root(call, call.rank);
  // Level l holds the numbers 2^l - 1 to 2^(l + 1) - 2. The children of one are 2^l and 2^(l + 1) further.
  const int width = static_cast<int>(std::bit_floor(static_cast<unsigned>(number + 1)));
  Tree tree;
  for (const int child : {number + width, number + 2 * width})
    if (child < call.ranks) tree.children.push_back(child);
  if (number > 0) {
    const int first_of_level = width - 1;
    tree.parent = number - width / 2;
    while (tree.parent >= first_of_level)
      tree.parent -= width / 2;
  }
  return rotated(call, tree);
}

Tree in_order_binary_tree(const Call& call) {
  // The ranks [first, first + count) are a subtree whose root is the last of them. Its right child is the
  // last of the first half of the others, its left child the one before the root.
  int first = 0;
  int count = call.ranks;
  Tree tree;
  while (true) {
    const int root = first + count - 1;
    const int right_count = count / 2;
    const int right = count > 2 ? first + right_count - 1 : -1;
    const int left = count > 1 ? root - 1 : -1;
    if (call.rank == root) {
      if (left >= 0) tree.children.push_back(left);
      if (right >= 0) tree.children.push_back(right);
      return tree;
    }
    tree.parent = root;
    if (right >= 0 && call.rank <= right) {
      count = right_count;
    } else {
      const int skipped = right >= 0 ? right_count : 0;
      first += skipped;
      count -= skipped + 1;
    }
  }
}

Tree binomial_tree(const Call& call) {
  const unsigned number = static_cast<unsigned>(from_root(call, call.rank));
  Tree tree;
  if (number > 0) tree.parent = static_cast<int>(number - std::bit_floor(number));
  const auto ranks = static_cast<unsigned>(call.ranks);
  for (unsigned bit = number > 0 ? 2 * std::bit_floor(number) : 1; number + bit < ranks; bit *= 2)
    tree.children.push_back(static_cast<int>(number + bit));
  return rotated(call, tree);
}

Tree in_order_binomial_tree(const Call& call) {
  const int number = from_root(call, call.rank);
  Tree tree;
  for (int bit = 1; bit < call.ranks; bit *= 2) {
    if ((number & bit) != 0) {
      tree.parent = number - bit;
      break;
    }
    if (number + bit < call.ranks) tree.children.push_back(number + bit);
  }
  return rotated(call, tree);
}

Tree knomial_tree(const Call& call, int radix) {
  const int number = from_root(call, call.rank);
  Tree tree;
  int digit = 1;
  for (; digit < call.ranks; digit *= radix) {
    const int above = radix * digit;
    if (number % above == 0) continue;
    tree.parent = number / above * above;
    break;
  }
  for (digit /= radix; digit > 0; digit /= radix)
    for (int child = 1; child < radix; ++child)
      if (number + digit * child < call.ranks) tree.children.push_back(number + digit * child);
  return rotated(call, tree);
}

int in_order_subtree(const Call& call, int number) {
  const int span = number == 0 ? call.ranks : number & -number;
  return std::min(span, call.ranks - number);
}

}  // namespace finegrain::collectives
