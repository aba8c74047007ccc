// SPDX-License-Identifier: MIT
#include "sim/cli/progress.hpp"

#include <catch2/catch.hpp>

using namespace finegrain::cli;

TEST_CASE("the progress of one long simulation is its share, that of several is how many have ended") {
  CHECK(progress_line("simulating", 0.25, 1, 10) == "simulating [#####---------------] 25 %, 30 s left");
  CHECK(progress_line("simulating", 2.5, 5, 10) == "simulating [##########----------] 2/5, 10 s left");
  CHECK(progress_line("simulating", 1, 1, 10) == "simulating [####################] 100 %");
}

TEST_CASE("what a very short time says of a long one is not shown, nor a share that nobody knows") {
  CHECK(progress_line("simulating", 0.001, 1, 0.1) == "simulating [--------------------] 0 %");
  CHECK(progress_line("placing 64 ranks", 0, 0, 5) == "placing 64 ranks ...");
}
