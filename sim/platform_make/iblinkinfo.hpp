// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>

#include "sim/platform_make/fabric.hpp"

namespace finegrain::platform_make {

/// What iblinkinfo printed, with sections of devices or with a line for each port (--line): switches, channel
/// adapters, and each cable with its width and rate. Names are add_devices()'s. Notes say which cables are
/// there and not active, and which could be faster; how many ports of switches are down; and which nodes have
/// no port that is up. Cables that are not active, and such nodes, are left out. Adapters without sections
/// (--switches-only) are known from their cables.
/// @throws InputError with file and line
Fabric read_iblinkinfo(const std::filesystem::path& file);

}  // namespace finegrain::platform_make
