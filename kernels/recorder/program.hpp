// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "kernels/recorder/recording.hpp"
#include "kernels/recorder/roll_call.hpp"

namespace finegrain::recorder {

/// Collective: agrees on a folder, creates each rank's file, and writes the manifest.
/// @param world  all ranks; the recorder's own, because the program may have messages under way in its own
/// @param handle_of_world  by which the program names the communicator of all ranks, if it does
/// @returns none on every rank if nothing can be recorded; one line on stderr says so
Recording* start_recording(MPI_Comm world, MPI_Comm handle_of_world, bool has_threads);

/// Not collective: the same where some ranks have no recorder, so that nothing can be asked of all.
/// @param all_ranks  the program's communicator
Recording* start_partial_recording(const RollCall& roll, MPI_Comm all_ranks, MPI_Comm handle_of_world,
                                   bool has_threads);

/// Collective, unless the recording is partial, before MPI is finalized: writes into the manifest what all
/// ranks know together.
void complete_manifest(Recording& recording);

/// Ends this rank's file. The last rank that does so writes into the manifest that the trace is complete.
void finish_file(Recording& recording);

/// Prints a line on stderr.
void say(const std::string& line);

}  // namespace finegrain::recorder
