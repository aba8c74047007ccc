// SPDX-License-Identifier: MIT
#include "kernels/problem/hilbert_order.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <limits>
#include <numeric>

namespace finegrain::problem {
namespace {

using Cell = std::array<std::uint32_t, 3>;

TEST_CASE("Hilbert curve: goes through each cell of a cube once, always across a face") {
  const int bits = GENERATE(1, 2, 3, 4, 5);
  const std::uint32_t side = 1U << bits;
  constexpr Cell nowhere{~0U, ~0U, ~0U};
  std::vector<Cell> along(std::size_t{side} * side * side, nowhere);
  for (std::uint32_t x = 0; x < side; ++x) {
    for (std::uint32_t y = 0; y < side; ++y) {
      for (std::uint32_t z = 0; z < side; ++z) {
        Cell& cell = along.at(hilbert_index({x, y, z}, bits));
        REQUIRE(cell == nowhere);
        cell = {x, y, z};
      }
    }
  }
  for (std::size_t i = 1; i < along.size(); ++i) {
    int steps = 0;
    for (std::size_t axis = 0; axis < 3; ++axis)
      steps += std::abs(static_cast<int>(along[i][axis]) - static_cast<int>(along[i - 1][axis]));
    REQUIRE(steps == 1);
  }
}

TEST_CASE("Hilbert order: points in the middle of a grid's cells are visited along the curve") {
  std::vector<Point> points;
  for (int i = 0; i < 512; ++i)
    points.push_back({5 + 0.1 * (i % 8), 0.1 * (i / 8 % 8), -0.1 * (i / 64)});
  // Two points hold the corners of a cube twice as wide, so that cells end where the grid's do.
  points.push_back({5 - 0.05, -0.05, -0.75});
  points.push_back({5 + 0.75, 0.75, 0.05});
  std::vector<std::int32_t> order = hilbert_order(points);
  order.erase(std::remove_if(order.begin(), order.end(), [](std::int32_t i) { return i >= 512; }),
              order.end());
  REQUIRE(order.size() == 512);
  for (std::size_t i = 1; i < order.size(); ++i) {
    const Point& a = points[static_cast<std::size_t>(order[i - 1])];
    const Point& b = points[static_cast<std::size_t>(order[i])];
    REQUIRE(std::abs(a.x - b.x) + std::abs(a.y - b.y) + std::abs(a.z - b.z) == Approx(0.1));
  }
}

TEST_CASE("Hilbert order: points at one place keep their order, and so do points too far apart to be told") {
  std::vector<std::int32_t> numbers(100);
  std::iota(numbers.begin(), numbers.end(), 0);
  REQUIRE(hilbert_order(std::vector<Point>(100, {1, 2, 3})) == numbers);
  REQUIRE(hilbert_order({}).empty());
  constexpr double far = std::numeric_limits<double>::max();
  REQUIRE(hilbert_order(std::vector<Point>{{-far, 0, 0}, {far, 0, 0}}) == std::vector<std::int32_t>{0, 1});
}

}  // namespace
}  // namespace finegrain::problem
