// SPDX-License-Identifier: MIT
#include "sim/pattern/interior_points.hpp"

#include <algorithm>

namespace finegrain {

std::int64_t interior_points(const HeatGrid& grid, int rank) {
  const HeatPart part = grid.part(rank);
  const auto along = [&](Side side) { return grid.neighbour(rank, side) ? 1 : 0; };
  const std::int64_t rows = part.rows - along(Side::up) - along(Side::down);
  const std::int64_t columns = part.columns - along(Side::left) - along(Side::right);
  return std::max<std::int64_t>(0, rows) * std::max<std::int64_t>(0, columns);
}

}  // namespace finegrain
