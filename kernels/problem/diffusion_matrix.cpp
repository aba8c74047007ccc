// SPDX-License-Identifier: MIT
#include "kernels/problem/diffusion_matrix.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "traces/io/input_error.hpp"

namespace finegrain::problem {
namespace {

constexpr auto width = static_cast<std::size_t>(tetrahedral_r_nz);

constexpr std::int32_t nothing = std::numeric_limits<std::int32_t>::max();

/// Every entry goes to the place that the number of smaller entries gives, and equal entries go to the same
/// place. No branch depends on the entries, which makes this several times as fast as std::sort for so few.
std::array<std::int32_t, width> sorted_without_repetition(const std::array<std::int32_t, width>& entries,
                                                          std::int32_t padding) {
  std::array<std::int32_t, width> spread{};
  spread.fill(nothing);
  for (const std::int32_t entry : entries) {
    std::int32_t smaller = 0;
    for (const std::int32_t other : entries)
      smaller += other < entry ? 1 : 0;
    spread[static_cast<std::size_t>(smaller)] = entry;
  }
  std::array<std::int32_t, width> result{};
  result.fill(padding);
  std::size_t count = 0;
  for (const std::int32_t entry : spread) {
    result[count] = entry == nothing ? padding : entry;
    count += entry == nothing ? 0 : 1;
  }
  return result;
}

double squared_distance(const Point& a, const Point& b) {
  return (a.x - b.x) * (a.x - b.x) + (a.y - b.y) * (a.y - b.y) + (a.z - b.z) * (a.z - b.z);
}

[[noreturn]] void fail_coincident(std::span<const Point> centroids, std::span<const std::int32_t> columns) {
  for (std::size_t e = 0; e < columns.size(); ++e) {
    const auto column = static_cast<std::size_t>(columns[e]);
    if (column != e / width && !(1 / squared_distance(centroids[e / width], centroids[column]) < HUGE_VAL)) {
      // The error names a place and no number, because the rows may be in another order than the mesh's.
      const Point& at = centroids[column];
      throw InputError(
          "mesh",
          fmt::format("two tetrahedra have the same centroid, ({}, {}, {}) (no distance between them)", at.x,
                      at.y, at.z),
          "Repair the mesh");
    }
  }
  throw InputError("mesh", "distances between centroids are too small to be used", "Scale the mesh");
}

}  // namespace

std::vector<std::int32_t> columns_within_two_faces(const FaceNeighbours& neighbours) {
  std::vector<std::int32_t> columns(neighbours.size() * width);
#pragma omp parallel for
  for (std::size_t row = 0; row < neighbours.size(); ++row) {
    const auto self = static_cast<std::int32_t>(row);
    std::array<std::int32_t, width> found{};
    found.fill(nothing);
    auto end = found.begin();
    for (const std::int32_t near : neighbours[row]) {
      if (near == no_neighbour) continue;
      *end++ = near;
      for (const std::int32_t far : neighbours[static_cast<std::size_t>(near)]) {
        if (far != no_neighbour && far != self) *end++ = far;
      }
    }
    const std::array<std::int32_t, width> entries = sorted_without_repetition(found, self);
    std::copy(entries.begin(), entries.end(), columns.begin() + static_cast<std::ptrdiff_t>(row * width));
  }
  return columns;
}

EllpackMatrix diffusion_matrix(std::span<const Point> centroids, std::vector<std::int32_t> columns) {
  const std::size_t rows = centroids.size();
  EllpackMatrix matrix{tetrahedral_r_nz, std::vector<double>(rows), std::vector<double>(rows * width),
                       std::move(columns)};
  double largest_sum = 0.0;
#pragma omp parallel for reduction(max : largest_sum)
  for (std::size_t row = 0; row < rows; ++row) {
    double sum = 0.0;
    for (std::size_t e = row * width; e < (row + 1) * width; ++e) {
      const auto column = static_cast<std::size_t>(matrix.columns[e]);
      if (column == row) continue;
      matrix.values[e] = 1 / squared_distance(centroids[row], centroids[column]);
      sum += matrix.values[e];
    }
    largest_sum = std::max(largest_sum, sum);
  }
  if (!std::isfinite(largest_sum)) fail_coincident(centroids, matrix.columns);

  const double time_step = largest_sum > 0 ? 0.5 / largest_sum : 0.0;
#pragma omp parallel for
  for (std::size_t row = 0; row < rows; ++row) {
    double sum = 0.0;
    for (std::size_t e = row * width; e < (row + 1) * width; ++e) {
      matrix.values[e] *= time_step;
      sum += matrix.values[e];
    }
    matrix.diagonal[row] = 1 - sum;
  }
  return matrix;
}

}  // namespace finegrain::problem
