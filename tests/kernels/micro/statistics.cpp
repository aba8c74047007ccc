// SPDX-License-Identifier: MIT
#include "kernels/micro/statistics.hpp"

#include <catch2/catch.hpp>

using namespace finegrain;
using namespace finegrain::micro;

TEST_CASE("a spread is the median with the first and the last decile, whatever the order") {
  const nlohmann::ordered_json spread = spread_json({10, 0, 9, 1, 8, 2, 7, 3, 6, 4, 5});
  CHECK(spread.at("median") == 5);
  CHECK(spread.at("p10") == 1);
  CHECK(spread.at("p90") == 9);
  CHECK(spread.at("samples") == 11);
}
