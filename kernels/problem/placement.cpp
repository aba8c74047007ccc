// SPDX-License-Identifier: MIT
#include "kernels/problem/placement.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "traces/io/input_error.hpp"

namespace finegrain {
Placement::Placement(int ranks, int ranks_per_node) : ranks_(ranks), ranks_per_node_(ranks_per_node) {
  if (ranks < 1) throw InputError(fmt::format("ranks: {} is not a number of ranks. Give 1 or more", ranks));
  if (ranks > most_ranks)
    throw InputError(
        fmt::format("ranks: {} are more than any machine has. Give at most {}", ranks, most_ranks));
  if (ranks_per_node < 1) {
    throw InputError(
        fmt::format("ranks per node: {} is not a number of ranks. Give 1 or more", ranks_per_node));
  }
}

int Placement::ranks_on(int node) const {
  return std::min(ranks_per_node_, ranks_ - first_rank(node));
}

}  // namespace finegrain
