// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>

namespace finegrain::platform {

/// Checks that a replay follows all profiles of a platform.
/// @throws InputError with file and line: a profile of anything but a link's bandwidth or latency, or a
/// host's speed
void check_all_are_followed(const std::filesystem::path& file);

}  // namespace finegrain::platform
