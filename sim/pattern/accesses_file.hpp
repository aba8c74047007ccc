// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

#include "sim/pattern/addressed_accesses.hpp"

namespace finegrain::pattern {

/// What a file says as a whole.
struct AccessesSummary {
  std::int32_t ranks = 0;   ///< the largest rank or owner, plus 1
  std::int32_t points = 0;  ///< the largest sequence point, plus 1
  std::int64_t lines = 0;
  bool writes = false;  ///< whether any access is a write
};

/// Limits: the number of ranks, the number of sequence points, and the product of the two.
inline constexpr std::int64_t most_accessing_ranks = 1'000'000;
inline constexpr std::int64_t most_sequence_points = 1'000'000;
inline constexpr std::int64_t most_ranks_times_points = 4'000'000;

/// Calls visit for each line (docs/accesses-file.md), in order. The file is mapped and not kept, so memory
/// does not grow with it.
/// @throws InputError naming file and line: a number that is missing, negative or too large, an access that
/// is neither read nor write, a rank that goes back to an earlier sequence point, a file without accesses
AccessesSummary read_accesses(const std::filesystem::path& file,
                              const std::function<void(const AddressedAccess&)>& visit = {});

}  // namespace finegrain::pattern
