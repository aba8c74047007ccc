// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "sim/validation/comparison.hpp"

namespace finegrain::validation {

/// What the simulation does not explain: a paragraph for each program, with figures from these tables.
/// Programs whose tables are missing have no paragraph.
std::vector<std::string> residual_paragraphs(const std::vector<ComparedTable>& compared);

}  // namespace finegrain::validation
