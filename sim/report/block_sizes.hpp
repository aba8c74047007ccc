// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/problem/placement.hpp"
#include "sim/pattern/pattern.hpp"
#include "traces/run.hpp"

namespace finegrain {

/// The name of the setting; a pattern without it has no BLOCKSIZE.
inline constexpr const char* block_size_setting = "blocksize";

/// A run with another BLOCKSIZE, and its counts.
struct BlockSizeRun {
  Run run;
  std::vector<RankCounts> counts;
};

/// The run's own BLOCKSIZE and the powers of two from 64 to one block a rank, ascending.
/// @pre the problem has a BLOCKSIZE
std::vector<std::int64_t> block_sizes_of(const Run& run);

/// The same run with each of them, its ranks on the same nodes. What each rank needs of which other
/// (RankCounts::needs) is left out: with small blocks that is much, and no equation asks for it.
std::vector<BlockSizeRun> with_other_block_sizes(const Run& run, const Pattern& pattern,
                                                 const Placement& placement);

/// Messages that the run's policy makes of the counts in one iteration.
std::int64_t messages_of(const BlockSizeRun& run);

}  // namespace finegrain
