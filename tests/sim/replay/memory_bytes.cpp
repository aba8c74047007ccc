// SPDX-License-Identifier: MIT
#include "sim/replay/memory_bytes.hpp"

#include <catch2/catch.hpp>

#include "small_platform.hpp"

using namespace finegrain;

TEST_CASE("memory bytes: work, local copies and single elements count, other nodes' messages do not") {
  using enum TransferKind;
  platform::PlatformCosts costs;
  costs.cache_line_bytes = 64;
  costs.copy_allocate_bytes = 16;
  costs.write_allocate_bytes = 8;
  // Ranks 0 and 1 are on one node, 2 on another.
  const Schedule schedule = schedule_of_ranks(
      {one_region(regions::compute, Work{.memory_bytes = 1000, .scattered_stores = 5, .copied_bytes = 128},
                  {transfer(send, 1, 640), transfer(send, 2, 640)}),
       one_region(regions::get, {transfer(receive, 0, 640), transfer(load, 0, 8, 3), transfer(load, 2, 8)}),
       one_region(regions::receive, {transfer(receive, 0, 640), transfer(accumulate, 2, 100)})},
      2);
  const std::vector<double> bytes = replay::node_memory_bytes(schedule, costs, problem::Placement(3, 2));
  REQUIRE(bytes.size() == 2);
  CHECK(bytes[0] == 1000 + 5 * 8 + 128 / 64 * 16 + (2 * 640 + 640 / 64 * 16) + 3 * 64);
  CHECK(bytes[1] == 3 * 100);
}
