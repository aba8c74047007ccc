// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <vector>

#include "traces/formats/imported_trace.hpp"
#include "traces/trace_reader.hpp"

namespace finegrain::scaling {

/// Called with what is done at the moment, how much of it is done, and how much it is at most.
using ScaleProgress = std::function<void(const char* what, std::size_t done, std::size_t of)>;

/// Writes what a program does on another number of ranks, by rules that every number in the recordings obeys
/// (docs/scaling.md). Times of work follow no rule: they are extrapolated from the recordings.
/// @param recordings  two or more of one program, on different numbers of ranks
/// @throws InputError naming the first operation that has no rule, or on which rules disagree; then
/// nothing is written
formats::Import scale_trace(const std::vector<const Trace*>& recordings, int ranks,
                            const std::filesystem::path& folder, const ScaleProgress& progress = {});

}  // namespace finegrain::scaling
