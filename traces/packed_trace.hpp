// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "traces/file_slice.hpp"

namespace finegrain {

/// Writes a trace's folder as one file: a plain tar of its manifest and rank files, sorted by name, times and
/// owners zero, so that the same trace always packs to the same bytes. The file appears when it is whole.
/// @param force  replace any file, not only a packed trace
/// @throws InputError if the folder is no trace, or the file cannot be written
void pack_trace(const std::filesystem::path& folder, const std::filesystem::path& file, bool force = false);

/// An entry as errors name it: "trace.tar(rank_00003.fgt)".
std::string packed_name(const std::filesystem::path& file, const std::string& entry);

/// A packed trace's entries by name, each a part of the tar.
/// @throws InputError naming file and byte if it is damaged, or holds anything but a manifest and rank files
std::map<std::string, FileSlice> packed_entries(const std::filesystem::path& file);

}  // namespace finegrain
