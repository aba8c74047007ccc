// SPDX-License-Identifier: MIT
#include <algorithm>
#include <catch2/catch.hpp>

#include "sim/schedule/policies.hpp"
#include "sim/schedule/programs.hpp"
#include "sim/schedule/traffic.hpp"
#include "traces/io/input_error.hpp"

using namespace finegrain;
using Messages = std::vector<Message>;
using Phases = std::vector<Phase>;

namespace {

constexpr Program get_each{Policy::condensed, Transfer::get, Completion::each};
constexpr Program get_together{Policy::condensed, Transfer::get, Completion::together};
constexpr Program get_overlapped{Policy::condensed, Transfer::get, Completion::overlapped};
constexpr Program send_together{Policy::condensed, Transfer::two_sided, Completion::together};
constexpr Program send_overlapped{Policy::condensed, Transfer::two_sided, Completion::overlapped};

Schedule schedule_of(std::int64_t rows, std::int64_t columns, int mprocs, int nprocs, const Program& program,
                     HeatUpdate update = HeatUpdate::swap) {
  Run run;
  run.problem = HeatProblem{rows, columns, mprocs, nprocs, update};
  run.policy = program.policy;
  run.transfer = program.transfer;
  run.completion = program.completion;
  run.ranks = mprocs * nprocs;
  run.ranks_per_node = 2;
  return heat_schedule(run);
}

}  // namespace

TEST_CASE("heat, one-sided: gets from left, right, up, down, and only columns are packed") {
  // 3 x 3 ranks of 4 x 5 points; rank 4 is in the middle.
  const Iteration middle = schedule_of(12, 15, 3, 3, get_each).ranks[4];
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
  const Iteration middle = schedule_of(12, 15, 3, 3, send_together).ranks[4];
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

TEST_CASE("heat, gets together: a wait after the gets, and nothing else changes") {
  const Iteration middle = schedule_of(12, 15, 3, 3, get_together).ranks[4];
  CHECK(middle.messages == schedule_of(12, 15, 3, 3, get_each).ranks[4].messages);
  CHECK(middle.phases == Phases{{PhaseKind::pack, 2 * 4 * (8 + 64), 0, 0},
                                {PhaseKind::barrier, 0, 0, 0},
                                {PhaseKind::get, 0, 0, 4},
                                {PhaseKind::wait, 0, 4, 0},
                                {PhaseKind::unpack, 2 * 4 * (8 + 64), 4, 0},
                                {PhaseKind::compute, 3 * 4 * 5 * 8, 4, 0},
                                {PhaseKind::barrier, 0, 4, 0}});
}

TEST_CASE("heat, overlapped: the points that read no neighbour's are computed before the wait") {
  // Of 4 x 5 points the middle rank has neighbours on all sides, rank 0 on the right and below.
  const Schedule gets = schedule_of(12, 15, 3, 3, get_overlapped);
  CHECK(gets.ranks[4].phases == Phases{{PhaseKind::pack, 2 * 4 * (8 + 64), 0, 0},
                                       {PhaseKind::barrier, 0, 0, 0},
                                       {PhaseKind::get, 0, 0, 4},
                                       {PhaseKind::compute, 3 * (4 - 2) * (5 - 2) * 8, 4, 0},
                                       {PhaseKind::wait, 0, 4, 0},
                                       {PhaseKind::unpack, 2 * 4 * (8 + 64), 4, 0},
                                       {PhaseKind::compute, 3 * (4 * 5 - 2 * 3) * 8, 4, 0},
                                       {PhaseKind::barrier, 0, 4, 0}});
  const Schedule sends = schedule_of(12, 15, 3, 3, send_overlapped);
  CHECK(sends.ranks[0].phases == Phases{{PhaseKind::receive, 0, 0, 2},
                                        {PhaseKind::pack, 4 * (8 + 64), 2, 0},
                                        {PhaseKind::send, 0, 2, 2},
                                        {PhaseKind::compute, 3 * (4 - 1) * (5 - 1) * 8, 4, 0},
                                        {PhaseKind::wait, 0, 4, 0},
                                        {PhaseKind::unpack, 4 * (8 + 64), 4, 0},
                                        {PhaseKind::compute, 3 * (4 * 5 - 3 * 4) * 8, 4, 0}});
  CHECK(sends.ranks[0].messages == schedule_of(12, 15, 3, 3, send_together).ranks[0].messages);
}

TEST_CASE("heat, overlapped: a part of one row between two others has no point to begin with") {
  const Schedule schedule = schedule_of(3, 9, 3, 1, get_overlapped);
  CHECK(schedule.ranks[1].phases[3].memory_bytes == 0);
  CHECK(schedule.ranks[1].phases[6].memory_bytes == 3 * 1 * 9 * 8);
}

TEST_CASE("heat, copied: each of a rank's points is read and written once more, at the end") {
  for (const Program& program : heat_programs()) {
    const Schedule swapped = schedule_of(7, 5, 3, 2, program);
    const Schedule copied = schedule_of(7, 5, 3, 2, program, HeatUpdate::copy);
    // Rank 3's part is 2 x 2 points.
    const Phase last = copied.ranks[3].phases.back();
    CHECK(last.kind == PhaseKind::copy);
    CHECK(last.memory_bytes == 2 * 2 * 2 * 8);
    Phases others = copied.ranks[3].phases;
    others.pop_back();
    CHECK(others == swapped.ranks[3].phases);
    CHECK(copied.ranks[3].messages == swapped.ranks[3].messages);
  }
}

TEST_CASE("heat: where the ranks do not divide the grid, sizes follow each rank's part") {
  // 7 x 5 points on 3 x 2 ranks: 3, 2, 2 rows and 3, 2 columns.
  const Schedule schedule = schedule_of(7, 5, 3, 2, get_each);
  CHECK(schedule.ranks[0].messages == Messages{{MessageKind::get, 1, 3 * 8}, {MessageKind::get, 2, 3 * 8}});
  CHECK(schedule.ranks[3].messages ==
        Messages{{MessageKind::get, 2, 2 * 8}, {MessageKind::get, 1, 2 * 8}, {MessageKind::get, 5, 2 * 8}});
  CHECK(schedule.ranks[0].phases[0].memory_bytes == 3 * (8 + 64));
  CHECK(schedule.ranks[3].phases[4].memory_bytes == 3 * 2 * 2 * 8);
}

TEST_CASE("heat: what a sends to b is what b receives from a") {
  const Schedule schedule = schedule_of(11, 13, 4, 3, send_together);
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
  CHECK(traffic_of(schedule_of(11, 13, 4, 3, get_each)) ==
        traffic_of(schedule_of(11, 13, 4, 3, send_together)));
}

TEST_CASE("heat: the computed bytes of all ranks are those of the whole grid") {
  for (const Program& program : heat_programs()) {
    std::int64_t bytes = 0;
    for (const Iteration& iteration : schedule_of(11, 13, 4, 3, program).ranks) {
      for (const Phase& phase : iteration.phases)
        bytes += phase.kind == PhaseKind::compute ? phase.memory_bytes : 0;
    }
    CHECK(bytes == 3 * 11 * 13 * 8);
  }
}

TEST_CASE("heat: one rank sends and packs nothing, and has the same phases") {
  for (const Program& program : heat_programs()) {
    const Schedule alone = schedule_of(11, 13, 1, 1, program);
    CHECK(alone.ranks[0].messages.empty());
    CHECK(alone.ranks[0].phases.size() == schedule_of(11, 13, 2, 2, program).ranks[0].phases.size());
    std::int64_t bytes = 0;
    for (const Phase& phase : alone.ranks[0].phases) {
      CHECK((phase.kind == PhaseKind::compute || phase.memory_bytes == 0));
      bytes += phase.memory_bytes;
    }
    CHECK(bytes == 3 * 11 * 13 * 8);
  }
}

TEST_CASE("heat: more ranks than points in a direction, or a policy it does not have, is refused") {
  CHECK_THROWS_AS(schedule_of(2, 100, 3, 1, send_together), InputError);
  CHECK_THROWS_AS(schedule_of(100, 100, 2, 2, {Policy::block, Transfer::get, Completion::each}), InputError);
  CHECK_THROWS_WITH(
      schedule_of(100, 100, 2, 2, {Policy::condensed, Transfer::put, Completion::each}),
      Catch::StartsWith("policy: heat has no program condensed put each. Use condensed get each, "
                        "or condensed get together, or"));
}
