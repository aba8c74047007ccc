// SPDX-License-Identifier: MIT
#include "kernels/problem/heat_grid.hpp"

#include <catch2/catch.hpp>

#include "traces/io/input_error.hpp"

namespace finegrain::problem {
namespace {

TEST_CASE("heat grid: 10 x 7 points on 3 x 2 ranks: the first parts are larger by one") {
  const HeatGrid grid(10, 7, 3, 2);  // rows 4 + 3 + 3, columns 4 + 3
  const HeatPart first = grid.part(0);
  REQUIRE((first.rows == 4 && first.columns == 4 && first.first_row == 0 && first.first_column == 0));
  const HeatPart last = grid.part(5);
  REQUIRE((last.rows == 3 && last.columns == 3 && last.first_row == 4 + 3 && last.first_column == 4));
}

TEST_CASE("heat grid: the parts cover all points once") {
  const HeatGrid grid(23, 17, 5, 4);
  std::int64_t points = 0;
  for (int rank = 0; rank < grid.ranks(); ++rank)
    points += grid.part(rank).rows * grid.part(rank).columns;
  REQUIRE(points == 23 * 17);
}

TEST_CASE("heat grid: ranks are numbered row by row, and the edge of the grid has no neighbour") {
  const HeatGrid grid(10, 10, 3, 2);  // 0 1 / 2 3 / 4 5
  REQUIRE(grid.neighbour(2, Side::right) == 3);
  REQUIRE(grid.neighbour(2, Side::up) == 0);
  REQUIRE(grid.neighbour(2, Side::down) == 4);
  REQUIRE_FALSE(grid.neighbour(2, Side::left).has_value());
  REQUIRE_FALSE(grid.neighbour(5, Side::down).has_value());
}

TEST_CASE("heat grid: whoever is right of me has me to its left, and touches me there, likewise below") {
  const HeatGrid grid(23, 17, 5, 4);
  for (int rank = 0; rank < grid.ranks(); ++rank) {
    const HeatPart part = grid.part(rank);
    CHECK(grid.neighbour(rank, Side::right).has_value() == (part.first_column + part.columns < 17));
    CHECK(grid.neighbour(rank, Side::down).has_value() == (part.first_row + part.rows < 23));
    if (const auto right = grid.neighbour(rank, Side::right)) {
      CHECK(grid.neighbour(*right, Side::left) == rank);
      CHECK(grid.part(*right).first_column == part.first_column + part.columns);
      CHECK(grid.part(*right).first_row == part.first_row);
    }
    if (const auto down = grid.neighbour(rank, Side::down)) {
      CHECK(grid.neighbour(*down, Side::up) == rank);
      CHECK(grid.part(*down).first_row == part.first_row + part.rows);
      CHECK(grid.part(*down).first_column == part.first_column);
    }
  }
}

TEST_CASE("heat grid: no points, no ranks, or more ranks than points are input errors") {
  REQUIRE_THROWS_AS(HeatGrid(0, 5, 1, 1), InputError);
  REQUIRE_THROWS_AS(HeatGrid(9'000'000'000'000, 9'000'000'000'000, 1, 1), InputError);
  REQUIRE(HeatGrid(1LL << 26, 1LL << 27, 1, 1).part(0).columns == 1LL << 27);
  REQUIRE_THROWS_AS(HeatGrid(5, 5, 0, 1), InputError);
  REQUIRE_THROWS_AS(HeatGrid(5, 5, 6, 1), InputError);
  REQUIRE_THROWS_AS(HeatGrid(5, 5, 1, 6), InputError);
  REQUIRE_THROWS_AS(HeatGrid(100000, 100000, 100000, 100000), InputError);
}

}  // namespace
}  // namespace finegrain::problem
