// SPDX-License-Identifier: MIT
#include "sim/pattern/interior_points.hpp"

#include <algorithm>

namespace finegrain::pattern {

std::int64_t interior_points(const problem::HeatGrid& grid, int rank) {
  const problem::HeatPart part = grid.part(rank);
  const auto along = [&](problem::Side side) { return grid.neighbour(rank, side) ? 1 : 0; };
  const std::int64_t rows = part.rows - along(problem::Side::up) - along(problem::Side::down);
  const std::int64_t columns = part.columns - along(problem::Side::left) - along(problem::Side::right);
  return std::max<std::int64_t>(0, rows) * std::max<std::int64_t>(0, columns);
}

}  // namespace finegrain::pattern
