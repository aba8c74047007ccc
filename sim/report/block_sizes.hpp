// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/problem/placement.hpp"
#include "sim/model/formula.hpp"
#include "sim/pattern/pattern.hpp"
#include "sim/policy/variant.hpp"
#include "traces/run.hpp"

namespace finegrain::report {

/// The name of the setting; a pattern without it has no BLOCKSIZE.
inline constexpr const char* block_size_setting = "blocksize";

/// A run with another BLOCKSIZE, and what is derived from its counts.
struct BlockSizeRun {
  Run run;
  std::int64_t messages = 0;             ///< that its policy makes in one iteration
  std::vector<model::Formula> formulas;  ///< as_published, shape [variants]
};

/// The run's own BLOCKSIZE and the powers of two from 64 to one block a rank, ascending.
/// @pre the problem has a BLOCKSIZE
std::vector<std::int64_t> block_sizes_of(const Run& run);

/// The same run with each of these BLOCKSIZEs, its ranks on the same nodes. The counts are not kept, because
/// with small blocks they need much memory.
/// @param variants  the variants whose equations are wanted. @pre each has a closed form
std::vector<BlockSizeRun> with_other_block_sizes(const Run& run, const pattern::Pattern& pattern,
                                                 const problem::Placement& placement,
                                                 std::span<const policy::Variant> variants);

}  // namespace finegrain::report
