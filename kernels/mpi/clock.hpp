// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/mpi/mpi_session.hpp"
#include "traces/manifest.hpp"

namespace finegrain {

/// Nanoseconds on this rank's clock, which never goes back. Ranks on different nodes started theirs at
/// different times.
std::int64_t clock_ns();

/// Collective. What each rank's clock reads against rank 0's, by ping-pong: of 50 round trips the shortest
/// counts, whose middle is taken as the moment at which the other rank read its clock. The error is at most
/// half that round trip.
/// @returns shape [ranks] on rank 0, empty elsewhere
std::vector<ClockOffset> measure_clock_offsets(const MpiSession& mpi);

}  // namespace finegrain
