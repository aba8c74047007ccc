// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "kernels/problem/gmsh_records.hpp"

namespace finegrain::problem {

enum class GmshVersion : std::uint8_t { none, v2, v4_0, v4_1 };

/// What section $PartitionedEntities says about the volumes of a divided mesh.
struct GmshParts {
  std::int64_t count = 0;                                        ///< parts, in this file or in others
  std::map<std::int64_t, std::vector<std::int64_t>> of_volumes;  ///< the parts of each volume, by its number
  std::set<std::int64_t> ghosts;  ///< entities whose elements are copies of other parts' elements
};

/// Reads the section up to its end. @pre version is one of 4.0 and 4.1
/// @throws InputError as the records do
GmshParts read_gmsh_parts(GmshRecords& records, GmshVersion version);

}  // namespace finegrain::problem
