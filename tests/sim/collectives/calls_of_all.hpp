// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "sim/collectives/algorithm.hpp"

namespace finegrain::test {

/// The calls of all ranks. Of kinds with sizes of their own, rank r's block has (r % 3) times the size of an
/// ordinary one, and rank r sends rank s (r + s) % 3 times as much. Neighbours are those on a ring.
/// @param storage  holds the calls' sizes
std::vector<collectives::Call> calls_of_all(collectives::Call call,
                                            std::vector<std::vector<std::int64_t>>& storage);

}  // namespace finegrain::test
