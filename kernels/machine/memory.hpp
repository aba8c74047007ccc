// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace finegrain::machine {

/// Bytes of the last-level caches that the CPUs share, each cache counted once; none if the system does not
/// say. Where only the processor says it, at most 128 MiB for each CPU.
std::optional<std::int64_t> last_level_cache_bytes(const std::vector<int>& cpus);

/// Bytes of a cache line; 64 if the system does not say.
std::int64_t cache_line_bytes();

/// Bytes of memory that can be had without swapping; none if the system does not say.
std::optional<std::int64_t> available_memory_bytes();

}  // namespace finegrain::machine
