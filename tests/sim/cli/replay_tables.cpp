// SPDX-License-Identifier: MIT
#include "sim/cli/replay_tables.hpp"

#include <catch2/catch.hpp>
#include <string>

#include "kernels/problem/placement.hpp"

using namespace finegrain;
using namespace finegrain::cli;
using output::Cell;

namespace {

/// Two ranks that compute and send, `rounds` times in one iteration; rank r takes r + 1 s for each of both.
struct Rounds {
  explicit Rounds(int rounds) {
    schedule.run.ranks = 2;
    schedule.run.ranks_per_node = 2;
    platform.name = "small";
    for (int rank = 0; rank < 2; ++rank) {
      Body& body = schedule.ranks.emplace_back();
      replay::RankReplay& simulated = answer.simulated->ranks.emplace_back();
      for (int round = 0; round < rounds; ++round) {
        body.begin_region(regions::compute).begin_region(regions::send);
        simulated.phases_s.insert(simulated.phases_s.end(), 2, rank + 1.0);
      }
    }
  }
  output::Table table(Grouping grouping) { return table_of_phases({answer}, grouping); }

  Schedule schedule{};
  platform::Platform platform{};
  problem::Placement placement{2, 2};
  answer::Answer answer{
      .question = {.job = {.schedule = &schedule, .platform = &platform, .placement = &placement}},
      .simulated = replay::ReplayResult(),
      .closed_form = {}};
};

}  // namespace

TEST_CASE("phases of one name are added up on each rank, beside more than 20 rows of them") {
  const output::Table table = Rounds(11).table(Grouping::all);
  CHECK(table.rows.size() == 2 * 11);
  CHECK(table.rows.back().at(2) == Cell(std::string("send 11")));
  // 11 s on rank 0, 22 s on rank 1; the median of two is the lower one.
  const double us = 1e6;
  CHECK(table.sums ==
        std::vector<std::vector<Cell>>{{std::string("small"), std::int64_t{2}, std::string("compute"),
                                        11 * us, (11 + 22) / 2.0 * us, 22 * us},
                                       {std::string("small"), std::int64_t{2}, std::string("send"), 11 * us,
                                        (11 + 22) / 2.0 * us, 22 * us}});
}

TEST_CASE("each rank has its own sums where phases are shown of every rank") {
  const output::Table table = Rounds(6).table(Grouping::rank);
  CHECK(table.rows.size() == 2 * 2 * 6);
  REQUIRE(table.sums.size() == 2 * 2);
  CHECK(table.sums.back().back() == Cell(6 * 2 * 1e6));
}

TEST_CASE("nothing is added up where rows are few, or no name comes again") {
  CHECK(Rounds(10).table(Grouping::all).sums.empty());
  Rounds once(1);
  const std::vector<answer::Answer> many(11, once.answer);
  CHECK(table_of_phases(many, Grouping::all).rows.size() == 11 * 2);
  CHECK(table_of_phases(many, Grouping::all).sums.empty());
}
