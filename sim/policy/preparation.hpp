// SPDX-License-Identifier: MIT
#pragma once

#include <optional>

#include "traces/run.hpp"

namespace finegrain::policy {

/// What is done once before the first of the run's iterations, as a run of one iteration: before condensed
/// messages into a full copy of x. None: there is none.
std::optional<Run> preparation_of(const Run& run);

}  // namespace finegrain::policy
