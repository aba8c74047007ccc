// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <optional>

#include "traces/formats/imported_trace.hpp"

namespace finegrain::formats {

/// Makes a trace of SimGrid's time-independent ones, as smpirun -trace-ti writes them.
/// @param path  a file of actions, of all ranks; or a list of such files, a line each
/// @param folder  the trace, which must not exist yet
/// @param flops_per_s  what a rank computes: the trace has flops, and no times. None: the work stays in flops
/// (work_in_flops.hpp), which a replay runs at the speed of each host
/// @throws InputError naming file and line
Import import_time_independent(const std::filesystem::path& path, const std::filesystem::path& folder,
                               std::optional<double> flops_per_s);

}  // namespace finegrain::formats
