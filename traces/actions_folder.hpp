// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <functional>

#include "traces/io/atomic_file.hpp"

namespace finegrain {

/// Writes a folder of SMPI's time-independent traces: one file a rank, rank_00000.txt ..., and trace.txt,
/// which names them by their absolute paths and is what `smpirun -replay` takes. Earlier such files are
/// replaced. A new folder appears when it is complete; into an existing folder, files are moved when all
/// are written.
/// @param write_actions  writes a rank's, between its "init" and its "finalize"
/// @throws InputError if a file cannot be written, or must not be replaced
void write_actions_folder(const std::filesystem::path& folder, int ranks, const Protection& protection,
                          const std::function<void(int rank, AtomicFile& file)>& write_actions);

}  // namespace finegrain
