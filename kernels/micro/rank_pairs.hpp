// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "kernels/mpi/mpi_session.hpp"
#include "kernels/run/node_layout.hpp"

namespace finegrain::micro {

/// Rank 0 and another one, between which messages are timed.
struct RankPair {
  std::string where;  ///< "same node" or "two nodes"
  int peer = 1;

  bool has(const kernels::MpiSession& mpi) const { return mpi.is_first() || mpi.rank() == peer; }
  int other(const kernels::MpiSession& mpi) const { return mpi.is_first() ? peer : 0; }
};

/// One pair of ranks on rank 0's node, and one pair on two nodes, as far as such pairs exist.
/// @throws InputError if there is one rank only
std::vector<RankPair> choose_pairs(const kernels::MpiSession& mpi, const kernels::NodeLayout& layout);

}  // namespace finegrain::micro
