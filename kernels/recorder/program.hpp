// SPDX-License-Identifier: MIT
#pragma once

#include "kernels/recorder/recording.hpp"

namespace finegrain::recorder {

/// Collective, of all ranks, when MPI has been initialized: agrees on a folder, creates each rank's file, and
/// writes the manifest.
/// @returns none on every rank if nothing can be recorded, which one line on stderr has said
Recording* start_recording(bool has_threads);

/// Collective, before MPI is finalized: closes each rank's file, and completes the manifest.
void finish_recording(Recording& recording);

}  // namespace finegrain::recorder
