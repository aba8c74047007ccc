// SPDX-License-Identifier: MIT
#include "traces/schedule_in_program.hpp"

#include <catch2/catch.hpp>
#include <string>
#include <utility>
#include <vector>

#include "traces/io/input_error.hpp"

namespace finegrain {
namespace {

Post sent(int peer, std::int64_t bytes) {
  return {.kind = TransferKind::send, .peer = peer, .size_bytes = bytes};
}
Post received(int peer, std::int64_t room) {
  return {.kind = TransferKind::receive, .peer = peer, .size_bytes = room};
}

using Operations = std::vector<Operation>;

/// @param ranks  each rank's operations
Schedule schedule_of(const std::vector<Operations>& ranks) {
  Schedule schedule;
  schedule.run.ranks = static_cast<int>(ranks.size());
  schedule.run.iterations = 1;
  for (const Operations& operations : ranks) {
    Body& body = schedule.ranks.emplace_back();
    body.begin_region(regions::send);
    for (const Operation& operation : operations)
      body.add(operation);
  }
  return schedule;
}

ScheduleInProgram find(const std::vector<Operations>& program, const std::vector<Operations>& iteration) {
  const Schedule recorded = schedule_of(program);
  return find_schedule(SchedulePrograms(recorded), schedule_of(iteration));
}

const std::vector<Operations> exchange{{received(1, 80), sent(1, 80)}, {received(0, 80), sent(0, 80)}};

TEST_CASE("iterations of a schedule are found between other transfers, which are counted") {
  const Operations once{sent(1, 8),  received(1, 100), sent(1, 80), Collective{},    received(1, 80),
                        sent(1, 80), received(1, 80),  sent(1, 80), received(1, 80), sent(1, 8)};
  const Operations other{received(0, 8), received(0, 80), sent(0, 80), Complete::all(), received(0, 80),
                         sent(0, 80),    received(0, 80), sent(0, 80), sent(0, 80),     received(0, 80)};
  const ScheduleInProgram found = find({once, other}, exchange);
  CHECK(found.diff.equal());
  CHECK(found.iterations == 3);
  CHECK(found.transfers == 3 * 2 * 2);
  CHECK(found.other_transfers == (1 + 2) + (1 + 2));
  CHECK(found.collectives == 1);
}

TEST_CASE("a rank that has no iteration is named, with the transfer that is another") {
  const ScheduleInProgram found =
      find({{received(1, 80), sent(1, 88)}, {received(0, 80), sent(0, 80)}}, exchange);
  REQUIRE(found.diff.difference_count == 1);
  const Difference& difference = found.diff.differences.front();
  CHECK(difference.rank == 0);
  CHECK(difference.position == 1);
  CHECK(difference.first == "send 1, 88 B");
  CHECK(difference.second == "send 1, 80 B");
}

TEST_CASE("a rank with fewer iterations in a row than others is named") {
  const Operations twice{received(1, 80), sent(1, 80), received(1, 80), sent(1, 80)};
  const Operations apart{received(0, 80), sent(0, 80), sent(0, 1), received(0, 80), sent(0, 80)};
  const ScheduleInProgram found = find({twice, apart}, exchange);
  REQUIRE(found.diff.difference_count == 1);
  CHECK(found.diff.differences.front().rank == 1);
  CHECK(found.diff.differences.front().aspect == "iterations");
  CHECK(found.diff.differences.front().first == "1");
  CHECK(found.diff.differences.front().second == "2");
}

TEST_CASE("an iteration that begins again within itself is found") {
  // 1 1 2 in 1 1 1 2 1 1 2
  const Operations iteration{sent(1, 1), sent(1, 1), sent(1, 2)};
  const Operations program{sent(1, 1), sent(1, 1), sent(1, 1), sent(1, 2),
                           sent(1, 1), sent(1, 1), sent(1, 2)};
  const ScheduleInProgram found = find({program, {}}, {iteration, {}});
  CHECK(found.diff.equal());
  CHECK(found.iterations == 2);
  CHECK(found.other_transfers == 1);
}

TEST_CASE("an iteration that is not complete is none") {
  const ScheduleInProgram found = find({{received(1, 80)}, {received(0, 80), sent(0, 80)}}, exchange);
  REQUIRE(found.diff.difference_count == 1);
  CHECK(found.diff.differences.front().first == "nothing");
  CHECK(found.diff.differences.front().second == "send 1, 80 B");
}

TEST_CASE("repeated transfers are as many, and loads of a schedule are gets of a program") {
  const Post loads{.kind = TransferKind::load, .peer = 1, .size_bytes = 8, .repeat = 2};
  const Post get{.kind = TransferKind::get, .peer = 1, .size_bytes = 8};
  CHECK(find({{get, get, get, get}, {}}, {{loads}, {}}).iterations == 2);
}

TEST_CASE("a schedule without transfers is refused") {
  CHECK_THROWS_AS(find(exchange, {{sent(0, 8)}, {}}), InputError);
}

}  // namespace
}  // namespace finegrain
