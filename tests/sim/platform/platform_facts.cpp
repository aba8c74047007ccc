// SPDX-License-Identifier: MIT
#include "sim/platform/platform_facts.hpp"

#include <catch2/catch.hpp>

using namespace finegrain;
using namespace finegrain::platform;

TEST_CASE("platform facts: a platform file says its cores, and one from a data sheet was measured nowhere") {
  const PlatformFacts abel = platform_facts(PLATFORMS "/abel.xml");
  CHECK(abel.cores == 16);
  CHECK(abel.measured_on.empty());
  CHECK(abel.disturbed_by.empty());
  CHECK(platform_facts(PLATFORMS "/knl_7250_mcdram.xml").cores == 68);
}

TEST_CASE("ranks that fit: a core for each thread, one rank at least, and unknown where the cores are") {
  const PlatformFacts platform{.cores = 16, .measured_on = "", .disturbed_by = ""};
  CHECK(ranks_that_fit(platform, 1) == 16);
  CHECK(ranks_that_fit(platform, 5) == 3);
  CHECK(ranks_that_fit(platform, 64) == 1);
  CHECK(!ranks_that_fit({}, 1));
}

TEST_CASE("oversubscription: more ranks x threads than cores, and never where the cores are unknown") {
  const PlatformFacts platform{.cores = 16, .measured_on = "", .disturbed_by = ""};
  CHECK(oversubscription(platform, {}, 16, 1).empty());
  CHECK(oversubscription(platform, {}, 2, 8).empty());
  CHECK(oversubscription(platform, {}, 17, 1) == "17 ranks x 1 thread on a node, which has 16 cores");
  CHECK(oversubscription(platform, {}, 8, 64) == "8 ranks x 64 threads on a node, which has 16 cores");
  CHECK(!oversubscription(platform, {}, 2'000'000, 2'000'000).empty());
  CHECK(oversubscription({}, {}, 64, 8).empty());
  PlatformCosts costs;
  costs.hardware_threads = {.cores = 16, .of_core = 2};
  CHECK(oversubscription(platform, costs, 32, 1).empty());
  CHECK(oversubscription(platform, costs, 33, 1) ==
        "33 ranks x 1 thread on a node, which has 16 cores of 2 hardware threads");
}
