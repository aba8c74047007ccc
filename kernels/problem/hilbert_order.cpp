// SPDX-License-Identifier: MIT
#include "kernels/problem/hilbert_order.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace finegrain::problem {
namespace {

constexpr int bits_an_axis = 21;  // three of them fit 64 bits

/// Rotates three bits to the left.
constexpr std::uint32_t rotated_left(std::uint32_t bits, std::uint32_t by) {
  return ((bits << by) | (bits >> (3 - by))) & 7;
}
constexpr std::uint32_t rotated_right(std::uint32_t bits, std::uint32_t by) {
  return rotated_left(bits, 3 - by);
}

constexpr std::uint32_t gray_code(std::uint32_t i) {
  return i ^ (i >> 1);
}
constexpr std::uint32_t gray_code_inverse(std::uint32_t code) {
  return code ^ (code >> 1) ^ (code >> 2);
}

/// Corner at which the curve enters the i-th of eight cells. Theorem 2.10.
constexpr std::uint32_t entry_point(std::uint32_t i) {
  return i == 0 ? 0 : gray_code((i - 1) / 2 * 2);
}

/// Axis along which it goes from the entry to the exit of the i-th of eight cells. Lemma 2.8.
constexpr std::uint32_t direction(std::uint32_t i) {
  if (i == 0) return 0;
  return static_cast<std::uint32_t>(std::countr_one(i % 2 == 0 ? i - 1 : i)) % 3;
}

}  // namespace

std::uint64_t hilbert_index(const std::array<std::uint32_t, 3>& cell, int bits) {
  std::uint64_t index = 0;
  std::uint32_t entry = 0;
  std::uint32_t axis = 0;
  for (int bit = bits - 1; bit >= 0; --bit) {
    const std::uint32_t octant =
        ((cell[0] >> bit) & 1) | ((cell[1] >> bit) & 1) << 1 | ((cell[2] >> bit) & 1) << 2;
    const std::uint32_t i = gray_code_inverse(rotated_right(octant ^ entry, axis + 1));
    index = index << 3 | i;
    entry ^= rotated_left(entry_point(i), axis + 1);
    axis = (axis + direction(i) + 1) % 3;
  }
  return index;
}

std::vector<std::int32_t> hilbert_order(std::span<const Point> points) {
  if (points.empty()) return {};
  Point low = points.front();
  Point high = low;
  for (const Point& point : points) {
    low = {std::min(low.x, point.x), std::min(low.y, point.y), std::min(low.z, point.z)};
    high = {std::max(high.x, point.x), std::max(high.y, point.y), std::max(high.z, point.z)};
  }
  const double edge = std::max({high.x - low.x, high.y - low.y, high.z - low.z});
  const auto cell = [edge](double distance) {
    constexpr double cells = 1 << bits_an_axis;
    // Points all at one place, or too far apart for a double, are in cell 0.
    const double place = distance / edge * cells;
    return place > 0 ? static_cast<std::uint32_t>(std::min(place, cells - 1)) : 0U;
  };
  std::vector<std::pair<std::uint64_t, std::int32_t>> along(points.size());
#pragma omp parallel for
  for (std::size_t i = 0; i < points.size(); ++i) {
    const Point& point = points[i];
    along[i] = {
        hilbert_index({cell(point.x - low.x), cell(point.y - low.y), cell(point.z - low.z)}, bits_an_axis),
        static_cast<std::int32_t>(i)};
  }
  std::sort(along.begin(), along.end());
  std::vector<std::int32_t> order(points.size());
  std::transform(along.begin(), along.end(), order.begin(), [](const auto& entry) { return entry.second; });
  return order;
}

}  // namespace finegrain::problem
