// SPDX-License-Identifier: MIT
#include "kernels/micro/rank_pairs.hpp"
#include "kernels/mpi/mpi_session.hpp"

#include "traces/io/input_error.hpp"

namespace finegrain::micro {

std::vector<RankPair> choose_pairs(const kernels::MpiSession& mpi, const kernels::NodeLayout& layout) {
  if (mpi.ranks() < 2)
    throw InputError("ranks", "there is one (it takes two to exchange messages)",
                     "Start it with mpirun -n 2");
  std::vector<RankPair> pairs;
  if (layout.ranks_per_node > 1) pairs.push_back({"same node", 1});
  if (layout.ranks_per_node < mpi.ranks()) pairs.push_back({"two nodes", layout.ranks_per_node});
  return pairs;
}

}  // namespace finegrain::micro
