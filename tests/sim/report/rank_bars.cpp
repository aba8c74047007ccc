// SPDX-License-Identifier: MIT
#include "sim/report/rank_bars.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "../replay/shared_link.hpp"
#include "kernels/problem/placement.hpp"

using namespace finegrain;
using namespace finegrain::report;

namespace {

/// Two iterations, in which rank 1 waits at the barrier for rank 0, which puts. It has no region for that.
struct PutAndBarrier {
  Schedule schedule = puts(8, 2);
  problem::Placement placement{2, 1};
  answer::Answer answer{
      .question = {.job = {.schedule = &schedule, .platform = nullptr, .placement = &placement}},
      .simulated = replay::ReplayResult{},
      .closed_form = {}};

  PutAndBarrier() {
    answer.simulated->ranks.resize(2);
    answer.simulated->ranks[0].phases_s = {6, 2};
    answer.simulated->ranks[1].phases_s = {8};
  }
};

}  // namespace

TEST_CASE("bars of ranks: a rank without a phase spends no time in it, and keeps its times of the others") {
  const PutAndBarrier both;
  const nlohmann::json times = rank_bars_of(both.answer)["times"];
  REQUIRE(times.size() == 2);
  CHECK(times[0]["name"] == "put");
  CHECK(times[0]["seconds"] == nlohmann::json{{3., 3., 3.}, {0., 0., 0.}});
  CHECK(times[1]["name"] == "barrier");
  CHECK(times[1]["seconds"] == nlohmann::json{{1., 1., 1.}, {4., 4., 4.}});
}
