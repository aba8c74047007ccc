// SPDX-License-Identifier: MIT
#include "sim/validation/effects.hpp"

#include <catch2/catch.hpp>
#include <set>

#include "traces/io/input_error.hpp"

using namespace finegrain;
using namespace finegrain::platform;
using namespace finegrain::replay;
using namespace finegrain::validation;

namespace {

PlatformCosts machine() {
  PlatformCosts costs;
  costs.memory_bandwidth_bytes_per_s = 80e9;
  costs.memory_bandwidth_per_core_bytes_per_s = 12e9;
  costs.write_allocate_bytes = 64;
  costs.unregistered_bandwidth_bytes_per_s = 4e9;
  return costs;
}

}  // namespace

TEST_CASE("effects: each is taken away by its name, and changes nothing else") {
  PlatformCosts costs = machine();
  ReplayOptions options;
  take_away(costs, options, {"write-allocate"});
  CHECK(costs.write_allocate_bytes == 0);
  CHECK(costs.unregistered_bandwidth_bytes_per_s == 4e9);
  CHECK(costs.memory_bandwidth_per_core_bytes_per_s == 12e9);
  CHECK(options.puts_and_gets_share_links);
  CHECK(options.barriers_take_time);
}

TEST_CASE("effects: without released bandwidth a rank never has more than a sixteenth of the node's") {
  PlatformCosts costs = machine();
  ReplayOptions options;
  take_away(costs, options, {"released-bandwidth"});
  CHECK(costs.memory_bandwidth_per_core_bytes_per_s == 80e9 / 16);
}

TEST_CASE("effects: names are unique, and an unknown one is refused with those that there are") {
  std::set<std::string_view> names;
  for (const Effect& effect : effects())
    names.insert(effect.name);
  CHECK(names.size() == effects().size());
  PlatformCosts costs = machine();
  ReplayOptions options;
  CHECK_THROWS_WITH(take_away(costs, options, {"gravity"}),
                    Catch::Contains("without gravity") && Catch::Contains("contention, barriers"));
}
