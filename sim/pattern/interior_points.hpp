// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "kernels/problem/heat_grid.hpp"

namespace finegrain::pattern {

/// Points of a rank's part whose update reads no other rank's point: all but those along the side to a
/// neighbour.
std::int64_t interior_points(const problem::HeatGrid& grid, int rank);

}  // namespace finegrain::pattern
