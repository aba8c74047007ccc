// SPDX-License-Identifier: MIT
#include "sim/validation/tau_under_load.hpp"

#include <catch2/catch.hpp>

using namespace finegrain;
using namespace finegrain::validation;

TEST_CASE("tau(k): ranks that access as much communicate all the time, others their share of it") {
  CHECK(communicating_ranks({10, 10, 10}) == 3);
  CHECK(communicating_ranks({10, 5, 0}) == 1 + 0.5);
  CHECK(communicating_ranks({0, 0}) == 0);
}

TEST_CASE("tau(k): the run on 2 nodes gives the slope, and with it is met. Others are predicted") {
  constexpr double tau_s = 3;
  // 100 s printed, 90 of them 30 accesses of 3 s; measured 190. So an access took 6 s, with 8 + 4 ranks.
  const std::vector<LoadedRun> runs{
      {.ranks = 32, .measured_s = 190, .printed_s = 100, .access_s = 90, .communicating = 12, .is_fit = true},
      {.ranks = 64, .measured_s = 999, .printed_s = 100, .access_s = 60, .communicating = 6}};
  const double slope = slope_s(runs, tau_s);
  CHECK(slope == Approx((6. - 3.) / (12 - 8)));
  CHECK(loaded_s(runs[0], tau_s, slope) == Approx(190));
  CHECK(loaded_s(runs[1], tau_s, slope) == Approx(100 + 60 / 3. * (6 - 8) * 0.75));
}
