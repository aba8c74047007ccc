// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <string>

namespace finegrain::formats {

/// What a file or folder is of which no import is known: "is a Paraver trace", as an error's problem. Empty
/// if it is not recognized as anything, so that it may be a trace that is read.
std::string foreign_format(const std::filesystem::path& path);

/// "otf2", "goal" or "ti": what a file looks like by its first bytes, or by its name.
std::string likely_format(const std::filesystem::path& path);

/// The formats that are read, for the end of an error.
inline constexpr const char* formats_read =
    "Give SimGrid's time-independent trace, the anchor file of an OTF2 archive (Score-P, EZTrace), or a GOAL "
    "schedule, as text or binary";

}  // namespace finegrain::formats
