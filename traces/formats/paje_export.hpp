// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>

#include "traces/io/atomic_file.hpp"
#include "traces/trace_reader.hpp"

namespace finegrain::formats {

/// Writes a recorded run as a Paje trace: nodes and ranks are containers, phases or functions are states,
/// messages are links. All ranks' files are read at once, a chunk of each in memory.
/// @returns the number of events with a time
/// @throws InputError if it would be larger than most_bytes, a rank's file is damaged, or it cannot be
/// written
std::int64_t export_paje(const Trace& trace, const std::filesystem::path& file, double most_bytes,
                         const Protection& protection = {});

}  // namespace finegrain::formats
