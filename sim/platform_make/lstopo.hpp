// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "sim/platform_make/number.hpp"

namespace finegrain::platform_make {

/// What a node has.
struct LstopoNode {
  /// "cores", and where the file has them "sockets", "hardware_threads_per_core", "memory_size" (without the
  /// memories of GPUs and on packages), and "memory_domains" where each of several sockets has a memory.
  Numbers numbers;
  std::vector<std::string> notes;  ///< what of the file counts differently or not at all
};

/// What `lstopo --of xml` printed, of hwloc 1 or 2.
/// @throws InputError with file and line
LstopoNode read_lstopo(const std::filesystem::path& file);

}  // namespace finegrain::platform_make
