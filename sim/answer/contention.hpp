// SPDX-License-Identifier: MIT
#pragma once

#include <span>

#include "sim/answer/evaluate.hpp"
#include "sim/output/table.hpp"

namespace finegrain::answer {

/// Which messages are slowed on which link, and by whom: the greatest delays first. Each answer is simulated
/// once more, in full. @throws InputError as replay::replay_contention() does
output::Table table_of_contention(std::span<const Answer> answers, const replay::ReplayOptions& options);

}  // namespace finegrain::answer
