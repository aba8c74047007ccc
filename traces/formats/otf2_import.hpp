// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>

#include "traces/formats/imported_trace.hpp"

namespace finegrain::formats {

/// Makes a trace of an OTF2 archive, as Score-P and EZTrace write it.
/// @param anchor  the archive's anchor file
/// @param folder  the trace, which must not exist yet
/// @throws InputError with the message of OTF2's library; if the archive has no ranks of MPI; or if finegrain
/// was built without that library
Import import_otf2(const std::filesystem::path& anchor, const std::filesystem::path& folder);

}  // namespace finegrain::formats
