// SPDX-License-Identifier: MIT
#include "kernels/bench/traffic.hpp"

#include <catch2/catch.hpp>

using namespace finegrain;
using namespace finegrain::kernels;

TEST_CASE("a product reads A, J and D once, x once, and writes y with a write-allocate") {
  const Traffic traffic = multiply_traffic(10, 16);
  CHECK(traffic.only_read_bytes == 10 * (16 * (8 + 4) + 8));
  CHECK(traffic.copied_bytes == 10 * (8 + 8 + 8));
}

TEST_CASE("a condensed iteration copies x before the product, and each packed and unpacked value") {
  const Traffic traffic = condensed_traffic(10, 16, 3, 2);
  CHECK(traffic.only_read_bytes == 10 * (16 * (8 + 4) + 8) + (3 + 2) * 4);
  CHECK(traffic.copied_bytes == (2 * 10 + 3 + 2) * (8 + 8 + 8));
}

TEST_CASE("a heat step reads a point and writes one with a write-allocate, and packs columns twice") {
  const Traffic traffic = heat_traffic(6, 72);
  CHECK(traffic.only_read_bytes == 0);
  CHECK(traffic.copied_bytes == 6 * (8 + 8 + 8) + 2 * 72);
}

TEST_CASE("the bound is what is read at the read rate, then what is copied at the copy rate") {
  CHECK(bound_s({100, 30}, 50, 10) == Approx(100.0 / 50 + 30.0 / 10));
}
