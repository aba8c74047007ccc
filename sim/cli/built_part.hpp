// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <initializer_list>
#include <string>

namespace finegrain::cli {

/// Where a part of finegrain is that is a file of its own: a kernel, or the recorder of an MPI. In a build
/// tree that lacks it, it is built first: not everybody needs all of them.
/// @param target  what builds it @param folders  seen from the finegrain binary, as built and as installed
/// @throws InputError if it is not there, and could not be built
std::filesystem::path built_part(const std::string& file, const std::string& target,
                                 std::initializer_list<const char*> folders);

}  // namespace finegrain::cli
