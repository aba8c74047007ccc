// SPDX-License-Identifier: MIT
#pragma once

#include "kernels/recorder/recording.hpp"

namespace finegrain::recorder {

/// Collective: agrees on a folder, creates each rank's file, and writes the manifest.
/// @param world  of all ranks; the recorder's own, because the program may have messages under way in its own
/// @param handle_of_world  by which the program names the communicator of all ranks, if it does
/// @returns none on every rank if nothing can be recorded; one line on stderr says so
Recording* start_recording(MPI_Comm world, MPI_Comm handle_of_world, bool has_threads);

/// Collective, before MPI is finalized: writes into the manifest what all ranks know together.
void complete_manifest(Recording& recording);

/// Ends this rank's file. On rank 0 the manifest says then that the trace is complete, if it is.
void finish_file(Recording& recording);

}  // namespace finegrain::recorder
