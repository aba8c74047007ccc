// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <string>
#include <vector>

#include "traces/run.hpp"

namespace finegrain::policy {

/// Ranks that own no row, in ascending order: those after the last block. Heat has none, since each of its
/// parts has a point.
std::vector<int> idle_ranks(const Run& run);

/// The note that an output prints if some of its runs have idle ranks; empty if none has.
std::vector<std::string> idle_ranks_notes(std::span<const Run> runs);

}  // namespace finegrain::policy
