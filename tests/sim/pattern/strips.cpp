// SPDX-License-Identifier: MIT
#include <catch2/catch.hpp>

#include "sim/pattern/strips.hpp"

using namespace finegrain;
using namespace finegrain::pattern;

namespace {

std::vector<std::int64_t> begins(const Strips& strips) {
  std::vector<std::int64_t> begins;
  for (std::size_t strip = 0; strip < strips.count(); ++strip)
    begins.push_back(strips.begin(strip));
  return begins;
}

}  // namespace

TEST_CASE("strips: begin where a block of any BLOCKSIZE begins") {
  const Strips strips(10, std::vector<std::int64_t>{3, 4, 6});
  CHECK((begins(strips) == std::vector<std::int64_t>{0, 3, 4, 6, 8, 9}));
  CHECK(strips.end(5) == 10);
}

TEST_CASE("strips: a BLOCKSIZE above n cuts nothing") {
  CHECK(
      (begins(Strips(10, std::vector<std::int64_t>{std::int64_t{1} << 40})) == std::vector<std::int64_t>{0}));
}

TEST_CASE("strips: a panel's end is a strip's end") {
  const std::int64_t p = panel_length;
  const Strips strips(2 * p + 1, std::vector<std::int64_t>{p + 1});
  CHECK((begins(strips) == std::vector<std::int64_t>{0, p, p + 1, 2 * p}));
  REQUIRE(strips.panels() == 3);
  CHECK(strips.first_strip(0) == 0);
  CHECK(strips.first_strip(1) == 1);
  CHECK(strips.first_strip(2) == 3);
  CHECK(strips.first_strip(3) == 4);
}
