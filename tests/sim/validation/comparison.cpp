// SPDX-License-Identifier: MIT
#include "sim/validation/comparison.hpp"

#include <catch2/catch.hpp>

using namespace finegrain;
using namespace finegrain::replay;
using namespace finegrain::validation;

TEST_CASE("parts: halo is what comes before the first compute phase, of the slowest rank") {
  Schedule schedule;
  schedule.ranks.resize(2);
  for (Body& rank : schedule.ranks) {
    for (const RegionName name :
         {regions::pack, regions::barrier, regions::get, regions::compute, regions::barrier})
      rank.begin_region(name);
  }
  ReplayResult result;
  result.total_s = 40;
  result.ranks = {{40, {1, 2, 3, 30, 4}, {}}, {40, {2, 1, 4, 29, 4}, {}}};
  CHECK(part_s(schedule, result, Part::halo) == 2 + 1 + 4);
  CHECK(part_s(schedule, result, Part::compute) == 30);
  CHECK(part_s(schedule, result, Part::total) == 40);
}
