// SPDX-License-Identifier: MIT
#pragma once

#include <optional>

#include "traces/run.hpp"

namespace finegrain::policy {

/// The run of one iteration that prepares `run`, once before its first iteration. Condensed messages into a
/// full copy of x need such a preparation. None: nothing has to be prepared.
std::optional<Run> preparation_of(const Run& run);

}  // namespace finegrain::policy
