// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>

#include "traces/formats/imported_trace.hpp"

namespace finegrain::formats {

/// Makes a finegrain trace of a GOAL schedule. Of each rank's graph it holds one order: a rank begins all
/// messages that it may, then calculates, and only then waits.
/// @throws InputError naming the line that is not valid, or the folder that exists
Import import_goal(const std::filesystem::path& path, const std::filesystem::path& folder);

}  // namespace finegrain::formats
