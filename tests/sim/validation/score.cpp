// SPDX-License-Identifier: MIT
#include "sim/validation/score.hpp"

#include <catch2/catch.hpp>
#include <cmath>

using namespace finegrain;
using namespace finegrain::validation;

namespace {

Comparison cell(int ranks, double measured_s, double simulated_s, std::optional<double> closed_form_s,
                Standing standing = Standing::scored) {
  Comparison result;
  result.experiment.column = "halo";
  result.experiment.run.ranks = ranks;
  result.experiment.measured_s = measured_s;
  result.experiment.standing = standing;
  result.simulated_s = simulated_s;
  result.closed_form_s = closed_form_s;
  return result;
}

}  // namespace

TEST_CASE("score: means over the scored cells only, and the worst of them by factor") {
  const ComparedTable table{
      "T",
      "",
      {cell(64, 10, 12, 5), cell(128, 10, 5, 10), cell(16, 10, 1000, 1000, Standing::calibration)},
      {}};
  const std::vector<Score> all = scores(table);
  REQUIRE(all.size() == 1);
  CHECK(all[0].cells == 2);
  CHECK(all[0].simulated.mean_percent == Approx((20 + 50) / 2.));
  CHECK(all[0].simulated.mean_log_ratio == Approx((std::log(1.2) + std::log(2.)) / 2));
  CHECK(all[0].simulated.worst_percent == Approx(-50));
  CHECK(all[0].simulated.worst_ranks == 128);
  REQUIRE(all[0].closed_form.has_value());
  CHECK(all[0].closed_form->mean_percent == Approx((50 + 0) / 2.));
}

TEST_CASE("score: a cell without closed form leaves the column without its score") {
  const ComparedTable table{"T", "", {cell(64, 10, 12, 5), cell(128, 10, 5, {})}, {}};
  CHECK_FALSE(scores(table)[0].closed_form.has_value());
}

TEST_CASE("score: a table without scored cells has none") {
  CHECK(scores({"T", "", {cell(16, 1, 1, 1, Standing::input_assumed)}, {}}).empty());
}
