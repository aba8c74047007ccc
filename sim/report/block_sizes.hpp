// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/problem/ellpack.hpp"
#include "kernels/problem/placement.hpp"
#include "sim/schedule/counts.hpp"
#include "traces/run.hpp"

namespace finegrain {

/// A run with another BLOCKSIZE, and its counts.
struct BlockSizeRun {
  Run run;
  std::vector<RankCounts> counts;
};

/// The run's own BLOCKSIZE and the powers of two from 64 to one block a rank, ascending.
/// @pre run.problem is an SpmvProblem
std::vector<std::int64_t> block_sizes_of(const Run& run);

/// The same run with each of them, its ranks on the same nodes. What each rank needs of which other
/// (RankCounts::needs) is left out: with small blocks that is much, and no equation asks for it.
std::vector<BlockSizeRun> with_other_block_sizes(const Run& run, const EllpackView& matrix,
                                                 const Placement& placement);

/// Messages that the run's policy makes of the counts in one iteration.
std::int64_t messages_of(const BlockSizeRun& run);

}  // namespace finegrain
