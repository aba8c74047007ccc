// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "kernels/recorder/mpi.hpp"

namespace finegrain::recorder {

/// How the ranks lie on nodes and cores.
struct Layout {
  int ranks_per_node = 1;       ///< the most of any node
  int cores = 1;                ///< those of this node that its ranks may run on
  bool oversubscribed = false;  ///< some node has more ranks than cores
  std::string pinning;          ///< on rank 0: CPUs of each rank, "0: 0-1; 1: 2-3", or "all: 0-3"
  std::string
      ranks_of_nodes;  ///< on rank 0: "0-3; 4-6"; empty where all nodes hold as many consecutive ranks
};

/// The caller's rank in the communicator.
int rank_in(MPI_Comm comm);

/// Collective. @param world  all ranks
Layout find_layout(MPI_Comm world);

}  // namespace finegrain::recorder
