// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <limits>

#include "traces/io/atomic_file.hpp"
#include "traces/programs.hpp"

namespace finegrain {

/// Writes a run as SMPI's time-independent traces: one file a rank, rank_00000.txt ..., and trace.txt, which
/// names them by their absolute paths and is what `smpirun -replay` takes. Earlier such files are replaced.
/// A new folder appears when it is complete; into an existing folder, files are moved when all are written.
/// A byte that a rank moves over its memory counts as `flops_per_byte` flops, because SMPI's ranks compute
/// flops on their host.
/// @throws InputError if a transfer is one-sided (SMPI's replayer knows none) or a rank waits for some of its
/// requests only, if the files would together be
/// larger than most_bytes, or if one cannot be written
void write_time_independent(const Schedule& schedule, double flops_per_byte,
                            const std::filesystem::path& folder,
                            double most_bytes = std::numeric_limits<double>::infinity(),
                            const Protection& protection = {});

}  // namespace finegrain
