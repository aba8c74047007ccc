// SPDX-License-Identifier: MIT
#include <algorithm>
#include <catch2/catch.hpp>

#include "../../traces/transfer.hpp"
#include "schedules.hpp"
#include "sim/graph/traffic.hpp"
#include "sim/policy/variant.hpp"
#include "traces/io/input_error.hpp"

using namespace finegrain;
using namespace finegrain::graph;
using namespace finegrain::pattern;
using namespace finegrain::policy;
using namespace finegrain::problem;
using Messages = std::vector<Post>;
using Phases = std::vector<RegionFacts>;

namespace {

const Variant get_each{"condensed", Transfer::get, Completion::each};
const Variant get_together{"condensed", Transfer::get, Completion::together};
const Variant get_overlapped{"condensed", Transfer::get, Completion::overlapped};
const Variant send_together{"condensed", Transfer::two_sided, Completion::together};
const Variant send_overlapped{"condensed", Transfer::two_sided, Completion::overlapped};

Schedule schedule_of(std::int64_t rows, std::int64_t columns, int mprocs, int nprocs, const Variant& program,
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
  const Body middle = schedule_of(12, 15, 3, 3, get_each).ranks[4];
  CHECK(messages_of(middle) ==
        Messages{transfer(TransferKind::get, 3, 4 * 8), transfer(TransferKind::get, 5, 4 * 8),
                 transfer(TransferKind::get, 1, 5 * 8), transfer(TransferKind::get, 7, 5 * 8)});
  CHECK(facts_of(middle) == Phases{{regions::pack, 2 * 4 * (8 + 64), 0, 0},
                                   {regions::barrier, 0, 0, 0},
                                   {regions::get, 0, 0, 4},
                                   {regions::unpack, 2 * 4 * (8 + 64), 4, 0},
                                   {regions::compute, 3 * 4 * 5 * 8, 4, 0},
                                   {regions::barrier, 0, 4, 0}});
}

TEST_CASE("heat, two-sided: receives first, then sends, each in the order left, right, up, down") {
  const Body middle = schedule_of(12, 15, 3, 3, send_together).ranks[4];
  CHECK(messages_of(middle) ==
        Messages{transfer(TransferKind::receive, 3, 4 * 8), transfer(TransferKind::receive, 5, 4 * 8),
                 transfer(TransferKind::receive, 1, 5 * 8), transfer(TransferKind::receive, 7, 5 * 8),
                 transfer(TransferKind::send, 3, 4 * 8), transfer(TransferKind::send, 5, 4 * 8),
                 transfer(TransferKind::send, 1, 5 * 8), transfer(TransferKind::send, 7, 5 * 8)});
  CHECK(facts_of(middle) == Phases{{regions::receive, 0, 0, 4},
                                   {regions::pack, 2 * 4 * (8 + 64), 4, 0},
                                   {regions::send, 0, 4, 4},
                                   {regions::wait, 0, 8, 0},
                                   {regions::unpack, 2 * 4 * (8 + 64), 8, 0},
                                   {regions::compute, 3 * 4 * 5 * 8, 8, 0}});
}

TEST_CASE("heat, gets together: a wait after the gets, and nothing else changes") {
  const Body middle = schedule_of(12, 15, 3, 3, get_together).ranks[4];
  CHECK(messages_of(middle) == messages_of(schedule_of(12, 15, 3, 3, get_each).ranks[4]));
  CHECK(facts_of(middle) == Phases{{regions::pack, 2 * 4 * (8 + 64), 0, 0},
                                   {regions::barrier, 0, 0, 0},
                                   {regions::get, 0, 0, 4},
                                   {regions::wait, 0, 4, 0},
                                   {regions::unpack, 2 * 4 * (8 + 64), 4, 0},
                                   {regions::compute, 3 * 4 * 5 * 8, 4, 0},
                                   {regions::barrier, 0, 4, 0}});
}

TEST_CASE("heat, overlapped: the points that read no neighbour's are computed before the wait") {
  // The middle rank's 4 x 5 points have neighbours on all sides, rank 0's on the right and below.
  const Schedule gets = schedule_of(12, 15, 3, 3, get_overlapped);
  CHECK(facts_of(gets.ranks[4]) == Phases{{regions::pack, 2 * 4 * (8 + 64), 0, 0},
                                          {regions::barrier, 0, 0, 0},
                                          {regions::get, 0, 0, 4},
                                          {regions::compute, 3 * (4 - 2) * (5 - 2) * 8, 4, 0},
                                          {regions::wait, 0, 4, 0},
                                          {regions::unpack, 2 * 4 * (8 + 64), 4, 0},
                                          {regions::compute, 3 * (4 * 5 - 2 * 3) * 8, 4, 0},
                                          {regions::barrier, 0, 4, 0}});
  const Schedule sends = schedule_of(12, 15, 3, 3, send_overlapped);
  CHECK(facts_of(sends.ranks[0]) == Phases{{regions::receive, 0, 0, 2},
                                           {regions::pack, 4 * (8 + 64), 2, 0},
                                           {regions::send, 0, 2, 2},
                                           {regions::compute, 3 * (4 - 1) * (5 - 1) * 8, 4, 0},
                                           {regions::wait, 0, 4, 0},
                                           {regions::unpack, 4 * (8 + 64), 4, 0},
                                           {regions::compute, 3 * (4 * 5 - 3 * 4) * 8, 4, 0}});
  CHECK(messages_of(sends.ranks[0]) == messages_of(schedule_of(12, 15, 3, 3, send_together).ranks[0]));
}

TEST_CASE("heat: the operations themselves say what blocks, what is waited for, and where all meet") {
  const Body each = schedule_of(4, 6, 1, 2, get_each).ranks[0];
  const Post get = transfer(TransferKind::get, 1, 4 * 8);
  const Work unpack{.memory_bytes = 4 * (8 + 64), .scattered_stores = 4};
  CHECK(each.operations == std::vector<Operation>{Work{4 * (8 + 64)}, Collective{}, blocking(get), unpack,
                                                  Work{3 * 4 * 3 * 8}, Collective{}});
  const Body together = schedule_of(4, 6, 1, 2, get_together, HeatUpdate::copy).ranks[0];
  const Work copy{.memory_bytes = 2 * 4 * 3 * 8, .copied_bytes = 4 * 3 * 8};
  CHECK(together.operations == std::vector<Operation>{Work{4 * (8 + 64)}, Collective{}, get, Complete::all(),
                                                      unpack, Work{3 * 4 * 3 * 8}, Collective{}, copy});
}

TEST_CASE("heat, overlapped: a part of one row between two others has no point to begin with") {
  const Schedule schedule = schedule_of(3, 9, 3, 1, get_overlapped);
  CHECK(facts_of(schedule.ranks[1])[3].memory_bytes == 0);
  CHECK(facts_of(schedule.ranks[1])[6].memory_bytes == 3 * 1 * 9 * 8);
}

TEST_CASE("heat, copied: each of a rank's points is read and written once more, at the end") {
  for (const Variant& program : variants(pattern_kind("heat"))) {
    const Schedule swapped = schedule_of(7, 5, 3, 2, program);
    const Schedule copied = schedule_of(7, 5, 3, 2, program, HeatUpdate::copy);
    // Rank 3's part is 2 x 2 points.
    const RegionFacts last = facts_of(copied.ranks[3]).back();
    CHECK(last.name == regions::copy);
    CHECK(last.memory_bytes == 2 * 2 * 2 * 8);
    Phases others = facts_of(copied.ranks[3]);
    others.pop_back();
    CHECK(others == facts_of(swapped.ranks[3]));
    CHECK(messages_of(copied.ranks[3]) == messages_of(swapped.ranks[3]));
  }
}

TEST_CASE("heat: where the ranks do not divide the grid, sizes follow each rank's part") {
  // 7 x 5 points on 3 x 2 ranks: 3, 2, 2 rows and 3, 2 columns.
  const Schedule schedule = schedule_of(7, 5, 3, 2, get_each);
  CHECK(messages_of(schedule.ranks[0]) ==
        Messages{transfer(TransferKind::get, 1, 3 * 8), transfer(TransferKind::get, 2, 3 * 8)});
  CHECK(messages_of(schedule.ranks[3]) == Messages{transfer(TransferKind::get, 2, 2 * 8),
                                                   transfer(TransferKind::get, 1, 2 * 8),
                                                   transfer(TransferKind::get, 5, 2 * 8)});
  CHECK(facts_of(schedule.ranks[0])[0].memory_bytes == 3 * (8 + 64));
  CHECK(facts_of(schedule.ranks[3])[4].memory_bytes == 3 * 2 * 2 * 8);
}

TEST_CASE("heat: what a sends to b is what b receives from a") {
  const Schedule schedule = schedule_of(11, 13, 4, 3, send_together);
  const auto count = [&](std::size_t rank, const Post& message) {
    const auto messages = messages_of(schedule.ranks[rank]);
    return std::count(messages.begin(), messages.end(), message);
  };
  for (std::size_t rank = 0; rank < schedule.ranks.size(); ++rank) {
    for (const Post& message : messages_of(schedule.ranks[rank])) {
      const auto other = message.kind == TransferKind::send ? TransferKind::receive : TransferKind::send;
      CHECK(count(static_cast<std::size_t>(message.peer),
                  transfer(other, static_cast<std::int32_t>(rank), message.size_bytes)) == 1);
    }
  }
}

TEST_CASE("heat: one-sided and two-sided move the same bytes between the same ranks") {
  CHECK(traffic_of(schedule_of(11, 13, 4, 3, get_each)) ==
        traffic_of(schedule_of(11, 13, 4, 3, send_together)));
}

TEST_CASE("heat: the computed bytes of all ranks are those of the whole grid") {
  for (const Variant& program : variants(pattern_kind("heat"))) {
    std::int64_t bytes = 0;
    for (const Body& iteration : schedule_of(11, 13, 4, 3, program).ranks) {
      for (const RegionFacts& phase : facts_of(iteration))
        bytes += phase.name == regions::compute ? phase.memory_bytes : 0;
    }
    CHECK(bytes == 3 * 11 * 13 * 8);
  }
}

TEST_CASE("heat: one rank sends and packs nothing, and has the same phases") {
  for (const Variant& program : variants(pattern_kind("heat"))) {
    const Schedule alone = schedule_of(11, 13, 1, 1, program);
    CHECK(messages_of(alone.ranks[0]).empty());
    CHECK(facts_of(alone.ranks[0]).size() == facts_of(schedule_of(11, 13, 2, 2, program).ranks[0]).size());
    std::int64_t bytes = 0;
    for (const RegionFacts& phase : facts_of(alone.ranks[0])) {
      CHECK((phase.name == regions::compute || phase.memory_bytes == 0));
      bytes += phase.memory_bytes;
    }
    CHECK(bytes == 3 * 11 * 13 * 8);
  }
}

TEST_CASE("heat: more ranks than points in a direction, or a policy it does not have, is refused") {
  CHECK_THROWS_AS(schedule_of(2, 100, 3, 1, send_together), InputError);
  CHECK_THROWS_AS(schedule_of(100, 100, 2, 2, {"block", Transfer::get, Completion::each}), InputError);
  CHECK_THROWS_WITH(
      schedule_of(100, 100, 2, 2, {"condensed", Transfer::put, Completion::each}),
      Catch::StartsWith("policy: heat has no program condensed put each. Use condensed get each, "
                        "or condensed get together, or"));
}

TEST_CASE("heat: of the parts down and across, one number gives the other") {
  const auto heat = pattern_kind("heat").open("64x64", "the grid");
  const auto cut = [&](const Settings& settings) {
    const auto problem = HeatProblem::of(heat->problem(8, settings));
    return std::pair(problem.mprocs, problem.nprocs);
  };
  CHECK(cut({{"mprocs", 4}}) == std::pair(4, 2));
  CHECK(cut({{"nprocs", 8}}) == std::pair(1, 8));
  CHECK(cut({}) == std::pair(2, 4));
  CHECK_THROWS_WITH(cut({{"mprocs", 3}}), Catch::StartsWith("mprocs: 3 does not divide 8 ranks. Give"));
  CHECK_THROWS_WITH(cut({{"nprocs", 16}}), Catch::StartsWith("nprocs: 16 does not divide 8 ranks. Give"));
}
