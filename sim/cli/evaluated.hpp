// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "sim/answer/evaluate.hpp"

namespace finegrain::cli {

/// answer::evaluate(), with its progress on stderr.
std::vector<answer::Answer> evaluate_with_progress(const std::vector<answer::Question>& questions,
                                                   int processes, const replay::ReplayOptions& options);

}  // namespace finegrain::cli
