// SPDX-License-Identifier: MIT
#pragma once

#include "sim/output/table.hpp"
#include "sim/platform/platform.hpp"
#include "sim/validation/prepared_table.hpp"

namespace finegrain::validation {

/// Figures 1 and 2 (a) of Lagravière et al. 2019, whose numbers are not published. Each row is one of 32
/// ranks on two nodes: the times of v3's computation, unpacking and packing, and the volumes of v1, v2 and
/// v3.
/// @pre table_4 is Table 4
output::Table by_rank_as_table(const PreparedTable& table_4, const platform::Platform& platform);

}  // namespace finegrain::validation
