// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "kernels/mpi/mpi_session.hpp"

namespace finegrain::micro {

/// How many ranks take part, one number after the other, in a measurement by number of ranks: 1, 2, 3, 4, 6,
/// 9, ... and all.
std::vector<int> team_sizes(int ranks);

/// Collective. A communicator of the first `size` ranks, which the caller frees; MPI_COMM_NULL on the others.
MPI_Comm team_of(const kernels::MpiSession& mpi, int size);

/// Collective. Sleeps until every rank has called it, so that ranks without work leave cores and memory
/// alone.
void meet_asleep(const kernels::MpiSession& mpi);

}  // namespace finegrain::micro
