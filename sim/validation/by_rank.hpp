// SPDX-License-Identifier: MIT
#pragma once

#include "sim/output/table.hpp"
#include "sim/platform/platform.hpp"
#include "sim/validation/prepared_table.hpp"

namespace finegrain::validation {

/// Figures 1 and 2 (a) of Lagravière et al. 2019, of which no numbers survive: a row a rank of 32 on two
/// nodes, what v3's computation, unpacking and packing take, and the volumes of v1, v2 and v3.
/// @pre it is Table 4
output::Table by_rank_as_table(const PreparedTable& table_4, const platform::Platform& platform);

}  // namespace finegrain::validation
