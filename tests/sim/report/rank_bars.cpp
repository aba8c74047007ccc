// SPDX-License-Identifier: MIT
#include "sim/report/rank_bars.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "../replay/shared_link.hpp"
#include "sim/report/answers.hpp"

using namespace finegrain;
using namespace finegrain::report;

namespace {

/// Two iterations, in which rank 1 waits at the barrier for rank 0, which puts. It has no phase for that.
struct PutAndBarrier {
  ReportRun run{.schedule = puts(8, 2), .placement = problem::Placement(2, 1), .counts = {}, .recorded = {}};
  replay::ReplayResult simulated;

  PutAndBarrier() {
    simulated.ranks.resize(2);
    simulated.ranks[0].phases_s = {6, 2};
    simulated.ranks[1].phases_s = {8};
  }
};

}  // namespace

TEST_CASE("bars of ranks: a rank without a phase spends no time in it, and keeps its times of the others") {
  const PutAndBarrier both;
  const nlohmann::json times = rank_bars_of(both.run, both.simulated, std::nullopt)["times"];
  REQUIRE(times.size() == 2);
  CHECK(times[0]["name"] == "put");
  CHECK(times[0]["seconds"] == nlohmann::json{{3., 3., 3.}, {0., 0., 0.}});
  CHECK(times[1]["name"] == "barrier");
  CHECK(times[1]["seconds"] == nlohmann::json{{1., 1., 1.}, {4., 4., 4.}});
}

TEST_CASE("a phase that the first rank does not have is reported where it belongs") {
  PutAndBarrier both;
  std::swap(both.run.schedule.ranks[0], both.run.schedule.ranks[1]);
  const std::vector<model::NumberedPhase> phases = phases_of_ranks(both.run.schedule);
  REQUIRE(phases.size() == 2);
  CHECK(phases[0].name() == "put");
  CHECK(phases[1].name() == "barrier");
}
