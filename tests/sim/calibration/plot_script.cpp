// SPDX-License-Identifier: MIT
#include "sim/calibration/plot_script.hpp"

#include <catch2/catch.hpp>

#include "known_machine.hpp"

using namespace finegrain;
using Catch::Matchers::Contains;

TEST_CASE("the picture's data are the measured points with their deciles, and the fit") {
  const std::string script = plot_script(known_node(), "svg");
  CHECK_THAT(script, Contains("set terminal svg"));
  // ranks, GB/s, first and last decile, min(4 x 10, 24)
  CHECK_THAT(script, Contains("4 24 23 25 24\n"));
  // 1024 B: 1 us + 1024 B / 8 GB/s = 1.128 us, 10 % less and more, the fit.
  CHECK_THAT(script, Contains("1024 1.128 1.0152 1.2408 1.128\n"));
  CHECK_THAT(script, !Contains("$between"));
}

TEST_CASE("with several nodes, messages between them are drawn too") {
  CHECK_THAT(plot_script(known_cluster(), "pngcairo"), Contains("between nodes: 2.5 us + size / 5 GB/s"));
}
