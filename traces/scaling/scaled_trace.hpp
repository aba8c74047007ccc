// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <vector>

#include "traces/formats/imported_trace.hpp"
#include "traces/trace_reader.hpp"

namespace finegrain::scaling {

/// Writes what a program does on another number of ranks, by rules that every number in the recordings obeys
/// (docs/scaling.md). Times of work follow no rule: they are extrapolated from the recordings.
/// @param recordings  two or more of one program, on different numbers of ranks
/// @throws InputError naming the first operation that has no rule, or on which rules disagree; then
/// nothing is written
formats::Import scale_trace(const std::vector<const Trace*>& recordings, int ranks,
                            const std::filesystem::path& folder);

}  // namespace finegrain::scaling
