// SPDX-License-Identifier: MIT
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "sim/platform/platform.hpp"
#include "sim/report/block_sizes.hpp"

namespace finegrain::report {

/// The node of each rank, shape [ranks].
std::vector<int> nodes_of_ranks(const problem::Placement& placement);

/// The closed form's terms and every rank's counts, so that the page can evaluate it for another machine or
/// another BLOCKSIZE.
/// @param sizes  the run, with every BLOCKSIZE that can be chosen; heat: the run alone
/// @param variant  the focus run's, in BlockSizeRun::formulas
nlohmann::json formula_data(const std::vector<BlockSizeRun>& sizes, std::size_t variant, const Run& focus,
                            const platform::Platform& platform, const problem::Placement& placement);

}  // namespace finegrain::report
