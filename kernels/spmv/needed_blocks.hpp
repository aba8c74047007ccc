// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/spmv/own_rows.hpp"

namespace finegrain::kernels {

/// The blocks of x that hold elements which this rank's rows read, its own included, ascending: what Listing
/// 4's block_is_needed says.
std::vector<std::int64_t> needed_blocks(const SpmvInput& input, const OwnRows& own);

}  // namespace finegrain::kernels
