// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>

#include "kernels/problem/placement.hpp"
#include "sim/replay/timeline.hpp"
#include "traces/io/atomic_file.hpp"

namespace finegrain::replay {

/// Writes a simulated timeline as `trace export` writes a recorded one: trace events for Perfetto where the
/// name ends in .json, rows where it ends in .csv.
/// @param schedule  that was replayed; without bodies where it was a program's
/// @throws InputError if the name has another ending, or the file cannot be written
void write_timeline(const Timeline& timeline, const Schedule& schedule, const problem::Placement& placement,
                    const std::filesystem::path& file, const Protection& protection = {});

}  // namespace finegrain::replay
