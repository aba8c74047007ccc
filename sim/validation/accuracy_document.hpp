// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "sim/validation/comparison.hpp"

namespace finegrain {

/// docs/accuracy.md: scores, then every table cell by cell.
std::string accuracy_document(const std::vector<ComparedTable>& compared);

}  // namespace finegrain
