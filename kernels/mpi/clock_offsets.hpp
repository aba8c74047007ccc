// SPDX-License-Identifier: MIT
#pragma once

#include <mpi.h>

#include <vector>

#include "traces/manifest.hpp"

namespace finegrain::kernels {

/// Collective. As Session::measure_clock_offsets, for the communicator's ranks. Ranks that share memory share
/// a clock, which one of them measures; these do in a binomial tree.
std::vector<ClockOffset> measure_clock_offsets(MPI_Comm comm);

}  // namespace finegrain::kernels
