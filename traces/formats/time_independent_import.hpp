// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>

#include "traces/formats/imported_trace.hpp"

namespace finegrain::formats {

/// Makes a trace of SimGrid's time-independent ones, as smpirun -trace-ti writes them.
/// @param path  a file of actions, of all ranks; or a list of such files, a line each
/// @param folder  the trace, which must not exist yet
/// @param flops_per_s  what a rank computes: the trace has flops, and no times
/// @throws InputError naming file and line
Import import_time_independent(const std::filesystem::path& path, const std::filesystem::path& folder,
                               double flops_per_s);

}  // namespace finegrain::formats
