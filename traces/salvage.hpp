// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>

#include "traces/on_rank.hpp"
#include "traces/verify.hpp"

namespace finegrain {

/// Makes a whole trace of one whose recording did not end, or which is damaged: of the iterations that all
/// its ranks have, which is the first ones. Only reads the trace.
/// @param folder  new; appears when it is whole
/// @returns what the trace holds. iterations_of_all were salvaged
/// @throws InputError if the trace is whole, or a rank has no iteration, or the folder cannot be written
Verification salvage(const std::filesystem::path& trace, const std::filesystem::path& folder,
                     const OnRank& on_rank = {});

}  // namespace finegrain
