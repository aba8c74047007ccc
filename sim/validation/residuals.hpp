// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "sim/validation/comparison.hpp"

namespace finegrain::validation {

/// What the simulation does not explain, a paragraph a program, in figures of these tables; nothing of a
/// table that is not among them.
std::vector<std::string> residual_paragraphs(const std::vector<ComparedTable>& compared);

}  // namespace finegrain::validation
