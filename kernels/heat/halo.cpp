// SPDX-License-Identifier: MIT
#include "kernels/heat/halo.hpp"

#include <algorithm>
#include <array>

namespace finegrain::kernels {
namespace {

constexpr std::int64_t double_bytes = sizeof(double);
constexpr std::int64_t cache_line_bytes = 64;

}  // namespace

std::vector<Neighbour> find_neighbours(const problem::HeatGrid& grid, int rank) {
  const problem::HeatPart part = grid.part(rank);
  std::vector<Neighbour> neighbours;
  if (part.first_column > 0) neighbours.push_back({problem::Side::left, rank - 1});
  if (part.first_column + part.columns < grid.columns())
    neighbours.push_back({problem::Side::right, rank + 1});
  if (part.first_row > 0) neighbours.push_back({problem::Side::up, rank - grid.nprocs()});
  if (part.first_row + part.rows < grid.rows())
    neighbours.push_back({problem::Side::down, rank + grid.nprocs()});
  return neighbours;
}

void pack_column(const problem::HeatPart& part, problem::Side side, const Field& phi, double* message) {
  const std::int64_t column = side == problem::Side::left ? 1 : part.columns;
#pragma omp parallel for schedule(static)
  for (std::int64_t i = 1; i <= part.rows; ++i)
    message[i - 1] = phi.at(i, column);
}

void unpack_column(const problem::HeatPart& part, problem::Side side, const double* message,
                   const Field& phi) {
  const std::int64_t column = side == problem::Side::left ? 0 : part.columns + 1;
#pragma omp parallel for schedule(static)
  for (std::int64_t i = 1; i <= part.rows; ++i)
    phi.at(i, column) = message[i - 1];
}

std::int64_t pack_bytes(const problem::HeatPart& part, const std::vector<Neighbour>& neighbours) {
  return unpack_work(part, neighbours).memory_bytes;
}

Work unpack_work(const problem::HeatPart& part, const std::vector<Neighbour>& neighbours) {
  const std::int64_t values = std::ranges::count_if(neighbours, &Neighbour::is_column) * part.rows;
  return {.memory_bytes = values * (double_bytes + cache_line_bytes), .scattered_stores = values};
}

std::int64_t halo_row(const problem::HeatPart& part, problem::Side side) {
  return side == problem::Side::up ? 0 : part.rows + 1;
}

std::int64_t edge_row(const problem::HeatPart& part, problem::Side side) {
  return side == problem::Side::up ? 1 : part.rows;
}

std::int64_t SplitPoints::boundary_points() const {
  std::int64_t points = 0;
  for (const PointRange& region : boundary)
    points += region.points();
  return points;
}

SplitPoints split_points(const problem::HeatPart& part, const std::vector<Neighbour>& neighbours) {
  const auto borders = [&](problem::Side side) {
    return std::ranges::any_of(neighbours, [&](const Neighbour& each) { return each.side == side; }) ? 1 : 0;
  };
  const PointRange inside = {1 + borders(problem::Side::up), part.rows - borders(problem::Side::down),
                             1 + borders(problem::Side::left), part.columns - borders(problem::Side::right)};
  // If a part is a single row or column and has neighbours on both sides of it, all its points are boundary.
  if (inside.points() == 0) return {{1, 0, 1, 0}, {whole(part)}};
  SplitPoints split{inside, {}};
  const auto add = [&](const PointRange& region) {
    if (region.points() > 0) split.boundary.push_back(region);
  };
  add({1, inside.first_row - 1, 1, part.columns});
  add({inside.first_row, inside.last_row, 1, inside.first_column - 1});
  add({inside.first_row, inside.last_row, inside.last_column + 1, part.columns});
  add({inside.last_row + 1, part.rows, 1, part.columns});
  return split;
}

}  // namespace finegrain::kernels
