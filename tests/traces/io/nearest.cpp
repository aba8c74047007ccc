// SPDX-License-Identifier: MIT
#include "traces/io/nearest.hpp"

#include <catch2/catch.hpp>
#include <vector>

using namespace finegrain;

TEST_CASE("nearest: a misspelt name finds the one that was meant, another none") {
  const std::vector<std::string> known{"memory_bandwidth", "memory_bandwidth_per_core", "tau"};
  CHECK(nearest("memory_bandwith", known) == "memory_bandwidth");
  CHECK(nearest("memory_bandwith_per_core", known) == "memory_bandwidth_per_core");
  CHECK(nearest("cores", known).empty());
  CHECK(nearest(std::string(10'000'000, '9'), known).empty());
}
