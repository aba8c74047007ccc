// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "kernels/mpi/mpi_session.hpp"

namespace finegrain::micro {

/// 1, 2, 3, 4, 6, 9, ... and all ranks: how many take part, in turn, where something is measured by number of
/// ranks.
std::vector<int> team_sizes(int ranks);

/// Collective. A communicator of the first `size` ranks, to be freed; MPI_COMM_NULL on the others.
MPI_Comm team_of(const kernels::MpiSession& mpi, int size);

/// Collective. Sleeps until every rank has called it, so that ranks without work leave cores and memory
/// alone.
void meet_asleep(const kernels::MpiSession& mpi);

}  // namespace finegrain::micro
