// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>

#include "sim/platform_make/fabric.hpp"

namespace finegrain::platform_make {

/// What ibnetdiscover printed: switches, channel adapters, and each cable with its width and rate. Adapters
/// whose descriptions begin with one name ("node001 mlx5_0", "node001 HCA-2") are of one node. A node whose
/// adapter has no such description, or one that another adapter has too, is named by its GUID. So is a switch
/// whose description is not one word that no other has. Nodes that aggregate for collectives (SHARP) are left
/// out, with a note.
/// @throws InputError with file and line
Fabric read_ibnetdiscover(const std::filesystem::path& file);

}  // namespace finegrain::platform_make
