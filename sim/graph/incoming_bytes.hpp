// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "traces/programs.hpp"

namespace finegrain::graph {

/// Bytes that reach each rank from others in an iteration, on its node and beyond; copies of its own blocks
/// are left out. Shape [ranks].
std::vector<std::int64_t> incoming_bytes(const Schedule& schedule);

}  // namespace finegrain::graph
