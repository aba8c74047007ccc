// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>

#include "traces/on_rank.hpp"
#include "traces/verify.hpp"

namespace finegrain {

/// Makes a whole trace of one that is damaged, or whose recording did not end. It holds the first iterations,
/// up to the last that all ranks have. The damaged trace is only read.
/// @param folder  new; appears when it is whole
/// @returns what the trace holds. iterations_of_all were salvaged
/// @throws InputError if the trace is whole, or a rank has no iteration, or the folder cannot be written
Verification salvage(const std::filesystem::path& trace, const std::filesystem::path& folder,
                     const OnRank& on_rank = {});

}  // namespace finegrain
