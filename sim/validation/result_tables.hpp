// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "sim/output/table.hpp"
#include "sim/validation/comparison.hpp"
#include "sim/validation/score.hpp"

namespace finegrain::validation {

/// measured | closed form | simulated, with their errors, cell by cell.
output::Table cells_as_table(const ComparedTable& compared);

/// The scores, one row for each column of the papers' tables.
output::Table scores_as_table(const std::vector<ComparedTable>& compared);

}  // namespace finegrain::validation
