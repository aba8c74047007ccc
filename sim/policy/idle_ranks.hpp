// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <string>
#include <vector>

#include "traces/run.hpp"

namespace finegrain::policy {

/// Ranks that own no row, in ascending order: those after the last block. None of heat, whose parts all have
/// a point.
std::vector<int> idle_ranks(const Run& run);

/// What every output says where some of its runs have idle ranks, as one note; nothing where none has.
std::vector<std::string> idle_ranks_notes(std::span<const Run> runs);

}  // namespace finegrain::policy
