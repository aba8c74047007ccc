// SPDX-License-Identifier: MIT
#include <algorithm>
#include <catch2/catch.hpp>

#include "sim/schedule/policies.hpp"
#include "sim/schedule/traffic.hpp"
#include "traces/io/input_error.hpp"

using namespace finegrain;
using Messages = std::vector<Message>;
using Phases = std::vector<Phase>;

namespace {

Schedule schedule_of(std::int64_t rows, std::int64_t columns, int mprocs, int nprocs, Sides sides,
                     Policy policy = Policy::condensed) {
  Run run;
  run.problem = HeatProblem{rows, columns, mprocs, nprocs};
  run.policy = policy;
  run.sides = sides;
  run.ranks = mprocs * nprocs;
  run.ranks_per_node = 2;
  return heat_schedule(run);
}

}  // namespace

TEST_CASE("heat, one-sided: gets from left, right, up, down, and only columns are packed") {
  // 3 x 3 ranks of 4 x 5 points; rank 4 is in the middle.
  const Iteration middle = schedule_of(12, 15, 3, 3, Sides::one_sided).ranks[4];
  CHECK(middle.messages == Messages{{MessageKind::get, 3, 4 * 8},
                                    {MessageKind::get, 5, 4 * 8},
                                    {MessageKind::get, 1, 5 * 8},
                                    {MessageKind::get, 7, 5 * 8}});
  CHECK(middle.phases == Phases{{PhaseKind::pack, 2 * 4 * (8 + 64), 0, 0},
                                {PhaseKind::barrier, 0, 0, 0},
                                {PhaseKind::get, 0, 0, 4},
                                {PhaseKind::unpack, 2 * 4 * (8 + 64), 4, 0},
                                {PhaseKind::compute, 3 * 4 * 5 * 8, 4, 0},
                                {PhaseKind::barrier, 0, 4, 0}});
}

TEST_CASE("heat, two-sided: receives first, then sends, each in the order left, right, up, down") {
  const Iteration middle = schedule_of(12, 15, 3, 3, Sides::two_sided).ranks[4];
  CHECK(middle.messages == Messages{{MessageKind::receive, 3, 4 * 8},
                                    {MessageKind::receive, 5, 4 * 8},
                                    {MessageKind::receive, 1, 5 * 8},
                                    {MessageKind::receive, 7, 5 * 8},
                                    {MessageKind::send, 3, 4 * 8},
                                    {MessageKind::send, 5, 4 * 8},
                                    {MessageKind::send, 1, 5 * 8},
                                    {MessageKind::send, 7, 5 * 8}});
  CHECK(middle.phases == Phases{{PhaseKind::receive, 0, 0, 4},
                                {PhaseKind::pack, 2 * 4 * (8 + 64), 4, 0},
                                {PhaseKind::send, 0, 4, 4},
                                {PhaseKind::wait, 0, 8, 0},
                                {PhaseKind::unpack, 2 * 4 * (8 + 64), 8, 0},
                                {PhaseKind::compute, 3 * 4 * 5 * 8, 8, 0}});
}

TEST_CASE("heat: where the ranks do not divide the grid, sizes follow each rank's part") {
  // 7 x 5 points on 3 x 2 ranks: 3, 2, 2 rows and 3, 2 columns.
  const Schedule schedule = schedule_of(7, 5, 3, 2, Sides::one_sided);
  CHECK(schedule.ranks[0].messages == Messages{{MessageKind::get, 1, 3 * 8}, {MessageKind::get, 2, 3 * 8}});
  CHECK(schedule.ranks[3].messages ==
        Messages{{MessageKind::get, 2, 2 * 8}, {MessageKind::get, 1, 2 * 8}, {MessageKind::get, 5, 2 * 8}});
  CHECK(schedule.ranks[0].phases[0].memory_bytes == 3 * (8 + 64));
  CHECK(schedule.ranks[3].phases[4].memory_bytes == 3 * 2 * 2 * 8);
}

TEST_CASE("heat: what a sends to b is what b receives from a") {
  const Schedule schedule = schedule_of(11, 13, 4, 3, Sides::two_sided);
  const auto count = [&](std::size_t rank, const Message& message) {
    const auto& messages = schedule.ranks[rank].messages;
    return std::count(messages.begin(), messages.end(), message);
  };
  for (std::size_t rank = 0; rank < schedule.ranks.size(); ++rank) {
    for (const Message& message : schedule.ranks[rank].messages) {
      const auto other = message.kind == MessageKind::send ? MessageKind::receive : MessageKind::send;
      CHECK(count(static_cast<std::size_t>(message.peer),
                  {other, static_cast<std::int32_t>(rank), message.size_bytes}) == 1);
    }
  }
}

TEST_CASE("heat: one-sided and two-sided move the same bytes between the same ranks") {
  CHECK(traffic_of(schedule_of(11, 13, 4, 3, Sides::one_sided)) ==
        traffic_of(schedule_of(11, 13, 4, 3, Sides::two_sided)));
}

TEST_CASE("heat: the computed bytes of all ranks are those of the whole grid") {
  std::int64_t bytes = 0;
  for (const Iteration& iteration : schedule_of(11, 13, 4, 3, Sides::two_sided).ranks)
    bytes += iteration.phases.back().memory_bytes;
  CHECK(bytes == 3 * 11 * 13 * 8);
}

TEST_CASE("heat: one rank sends and packs nothing, and has the same phases") {
  for (const Sides sides : {Sides::one_sided, Sides::two_sided}) {
    const Schedule alone = schedule_of(11, 13, 1, 1, sides);
    CHECK(alone.ranks[0].messages.empty());
    CHECK(alone.ranks[0].phases.size() == schedule_of(11, 13, 2, 2, sides).ranks[0].phases.size());
    for (const Phase& phase : alone.ranks[0].phases)
      CHECK(phase.memory_bytes == (phase.kind == PhaseKind::compute ? 3 * 11 * 13 * 8 : 0));
  }
}

TEST_CASE("heat: more ranks than points in a direction, or a policy it does not have, is refused") {
  CHECK_THROWS_AS(schedule_of(2, 100, 3, 1, Sides::two_sided), InputError);
  CHECK_THROWS_AS(schedule_of(100, 100, 2, 2, Sides::one_sided, Policy::block), InputError);
}
