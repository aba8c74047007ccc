// SPDX-License-Identifier: MIT
#include "kernels/problem/placement.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <numeric>
#include <utility>

#include "traces/io/input_error.hpp"

namespace finegrain::problem {

Placement::Placement(int ranks, int ranks_per_node) : ranks_(ranks), ranks_per_node_(ranks_per_node) {
  if (ranks < 1)
    throw InputError("ranks", fmt::format("{} is not a number of ranks", ranks), "Give 1 or more");
  if (ranks > most_ranks)
    throw InputError("ranks", fmt::format("{} are more than any machine has", ranks),
                     fmt::format("Give at most {}", most_ranks));
  if (ranks_per_node < 1) {
    throw InputError("ranks per node", fmt::format("{} is not a number of ranks", ranks_per_node),
                     "Give 1 or more");
  }
  nodes_ = (ranks - 1) / ranks_per_node + 1;
  most_ranks_on_a_node_ = std::min(ranks, ranks_per_node);
}

Placement::Placement(std::vector<int> nodes_of_ranks)
    : ranks_(static_cast<int>(nodes_of_ranks.size())),
      ranks_per_node_(0),
      nodes_(*std::ranges::max_element(nodes_of_ranks) + 1),
      nodes_of_ranks_(std::move(nodes_of_ranks)),
      ranks_of_nodes_(static_cast<std::size_t>(nodes_)) {
  for (int rank = 0; rank < ranks_; ++rank)
    ranks_of_nodes_[static_cast<std::size_t>(node(rank))].push_back(rank);
  assert(std::ranges::none_of(ranks_of_nodes_, &std::vector<int>::empty));
  most_ranks_on_a_node_ =
      static_cast<int>(std::ranges::max_element(ranks_of_nodes_, {}, &std::vector<int>::size)->size());
}

std::vector<int> Placement::ranks_of(int node) const {
  if (!nodes_of_ranks_.empty()) return ranks_of_nodes_[static_cast<std::size_t>(node)];
  const int first = node * ranks_per_node_;
  std::vector<int> ranks(static_cast<std::size_t>(std::min(ranks_per_node_, ranks_ - first)));
  std::iota(ranks.begin(), ranks.end(), first);
  return ranks;
}

Placement cyclic_placement(int ranks, int ranks_per_node) {
  const int nodes = Placement(ranks, ranks_per_node).nodes();
  std::vector<int> nodes_of_ranks;
  for (int rank = 0; rank < ranks; ++rank)
    nodes_of_ranks.push_back(rank % nodes);
  return Placement(std::move(nodes_of_ranks));
}

}  // namespace finegrain::problem
