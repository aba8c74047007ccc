// SPDX-License-Identifier: MIT
#include "traces/diff.hpp"

#include <catch2/catch.hpp>

#include "tests/traces/recording.hpp"

namespace finegrain {
namespace {

using namespace test;

/// pack, then two sends, one of them repeated; three times.
RankRecording reference() {
  RecordedIteration recorded;
  recorded.body.add_region(regions::pack, Work{100});
  recorded.body.begin_region(regions::send);
  recorded.body.add(transfer(TransferKind::send, 1, 80, 1));
  recorded.body.add(transfer(TransferKind::send, 2, 160, 7));
  std::mt19937_64 random(1);
  RankRecording recording;
  for (std::int64_t i = 0; i < 3; ++i)
    recording.push_back(at_new_times(recorded, random, 1'000'000 * i));
  return recording;
}

TraceDiff diff_of(const std::vector<RankRecording>& first, const std::vector<RankRecording>& second) {
  const TraceFolder a;
  const TraceFolder b;
  record_trace(a.path(), first);
  record_trace(b.path(), second);
  return diff(RecordedPrograms(Trace(a.path())), RecordedPrograms(Trace(b.path())));
}

const std::vector<RankRecording>& idle_ranks() {
  static const std::vector<RankRecording> idle(2, RankRecording(3));
  return idle;
}

/// Rank 0 does `recording`, ranks 1 and 2 nothing.
std::vector<RankRecording> with_idle(RankRecording recording) {
  std::vector<RankRecording> ranks{std::move(recording)};
  ranks.insert(ranks.end(), idle_ranks().begin(), idle_ranks().end());
  return ranks;
}

/// What a change of the middle iteration is seen as.
template <typename Change>
TraceDiff diff_after(Change&& change) {
  RankRecording changed = reference();
  change(changed[1]);
  return diff_of(with_idle(reference()), with_idle(changed));
}

void require_one(const TraceDiff& result, std::string_view aspect, std::optional<int> phase,
                 std::optional<int> position, const std::string& first, const std::string& second) {
  REQUIRE(result.difference_count == 1);
  const Difference& difference = result.differences.at(0);
  CHECK(difference.rank == 0);
  CHECK(difference.iteration == 1);
  CHECK(difference.region == phase);
  CHECK(difference.position == position);
  CHECK(difference.aspect == aspect);
  CHECK(difference.first == first);
  CHECK(difference.second == second);
}

TEST_CASE("traces that differ in times only are equal, and what was compared is counted") {
  std::mt19937_64 random(9);
  RankRecording later = reference();
  for (RecordedIteration& iteration : later)
    iteration = at_new_times(iteration, random, 77);
  const TraceDiff result = diff_of(with_idle(reference()), with_idle(later));
  CHECK(result.equal());
  CHECK(result.ranks == 3);
  CHECK(result.iterations == 3 * 3);
  CHECK(result.messages == 3 * 2);
}

TEST_CASE("a diff finds a message's other kind, peer, size and repeat, where it is") {
  require_one(diff_after([](auto& r) { post_at(r.body, 0).kind = TransferKind::put; }), "kind", 1, 0, "send",
              "put");
  require_one(diff_after([](auto& r) { post_at(r.body, 1).peer = 0; }), "peer", 1, 1, "2", "0");
  require_one(diff_after([](auto& r) { post_at(r.body, 1).size_bytes = 161; }), "bytes", 1, 1, "160", "161");
  require_one(diff_after([](auto& r) { post_at(r.body, 1).repeat = 8; }), "repeat", 1, 1, "7", "8");
}

TEST_CASE("a diff finds a transfer's other tag, communicator, and way to be completed") {
  require_one(diff_after([](auto& r) { post_at(r.body, 0).tag = 3; }), "tag", 1, 0, "0", "3");
  require_one(diff_after([](auto& r) { post_at(r.body, 0).communicator = 2; }), "communicator", 1, 0, "0",
              "2");
  require_one(diff_after([](auto& r) { post_at(r.body, 1).blocking = true; }), "blocking", 1, 1, "false",
              "true");
  require_one(diff_after([](auto& r) { post_at(r.body, 1).private_memory = true; }), "private memory", 1, 1,
              "false", "true");
}

TEST_CASE("a diff finds a region's other name, and another work") {
  const auto work = [](auto& r) -> Work& { return std::get<Work>(r.body.operations[0]); };
  require_one(diff_after([](auto& r) { r.body.regions[0].name = regions::copy; }), "region", 0, std::nullopt,
              "pack", "copy");
  require_one(diff_after([&](auto& r) { work(r).memory_bytes = 101; }), "memory bytes", 0, 0, "100", "101");
  require_one(diff_after([&](auto& r) { work(r).scattered_stores = 1; }), "scattered stores", 0, 0, "0", "1");
  require_one(diff_after([&](auto& r) { work(r).copied_bytes = 1; }), "copied bytes", 0, 0, "0", "1");
  require_one(diff_after([&](auto& r) { work(r).shared_references = 1; }), "shared references", 0, 0, "0",
              "1");
  require_one(diff_after([&](auto& r) { work(r).affinity_tests = 1; }), "affinity tests", 0, 0, "0", "1");
}

TEST_CASE("a diff finds an operation of another kind, and a wait for other requests") {
  require_one(diff_after([](auto& r) { r.body.operations[0] = Collective{}; }), "kind", 0, 0, "work 100 B",
              "barrier");
  RankRecording waits = reference();
  RankRecording waits_for_one = reference();
  for (std::size_t i = 0; i < waits.size(); ++i) {
    waits[i].body.add(Complete::all());
    waits_for_one[i].body.add(i == 1 ? Complete{.oldest = 2, .count = 1} : Complete::all());
  }
  require_one(diff_of(with_idle(waits), with_idle(waits_for_one)), "completes", 1, 2, "complete all",
              "complete 1 of 2");
}

TEST_CASE("two messages in another order differ in each of their members") {
  const TraceDiff result = diff_after([](auto& r) { std::swap(post_at(r.body, 0), post_at(r.body, 1)); });
  CHECK(result.difference_count == 2 * 3);  // peer, bytes and repeat of both
}

TEST_CASE("a diff finds a missing and an extra message and region") {
  require_one(diff_after([](auto& r) {
                r.body.operations.pop_back();
                r.posts.pop_back();
                --r.body.regions[1].operation_count;
              }),
              "missing", 1, 1, "send 2 160 B", "");
  require_one(diff_after([](auto& r) {
                r.body.add(transfer(TransferKind::send, 0, 8));
                r.posts.push_back(r.time);
              }),
              "extra", 1, 2, "", "send 0 8 B");
  require_one(diff_after([](auto& r) {
                r.body.begin_region(regions::barrier);
                r.regions.push_back(r.time);
              }),
              "extra", 2, std::nullopt, "", "barrier");
}

TEST_CASE("a diff finds missing and extra iterations and ranks") {
  RankRecording shorter = reference();
  shorter.pop_back();
  TraceDiff result = diff_of(with_idle(reference()), with_idle(shorter));
  REQUIRE(result.difference_count == 1);
  CHECK(result.differences[0].iteration == 2);
  CHECK(result.differences[0].aspect == "missing");

  std::vector<RankRecording> more = with_idle(reference());
  more.push_back(idle_ranks()[0]);
  result = diff_of(with_idle(reference()), more);
  REQUIRE(result.difference_count == 1);
  CHECK(result.differences[0].rank == 3);
  CHECK(result.differences[0].iteration == std::nullopt);
  CHECK(result.differences[0].aspect == "extra");
}

TEST_CASE("a trace equals the schedule made of it, and differs from it by an iteration too many") {
  const TraceFolder folder;
  record_trace(folder.path(), with_idle(reference()));
  const Trace trace(folder.path());
  Schedule schedule = schedule_of(trace);
  CHECK(schedule.ranks.size() == 3);
  CHECK(diff(RecordedPrograms(trace), SchedulePrograms(schedule)).equal());
  CHECK(diff(RecordedPrograms(trace), SchedulePrograms(schedule)).messages == 3 * 2);
  ++schedule.run.iterations;
  CHECK(diff(RecordedPrograms(trace), SchedulePrograms(schedule)).difference_count == 3);  // one a rank
  schedule.run.iterations = 3;
  post_at(schedule.ranks[0], 0).size_bytes += 1;
  CHECK(diff(RecordedPrograms(trace), SchedulePrograms(schedule)).difference_count == 3);  // one an iteration
}

TEST_CASE("more differences than are listed are counted") {
  RankRecording changed(2000, reference()[0]);
  const RankRecording same = changed;
  for (RecordedIteration& iteration : changed)
    post_at(iteration.body, 0).peer = 0;
  const TraceDiff result = diff_of({same, {}, {}}, {changed, {}, {}});
  CHECK(result.difference_count == 2000);
  CHECK(result.differences.size() == differences_listed);
}

TEST_CASE("iterations that differ have no schedule, and the first that does is named") {
  RankRecording recording = reference();
  post_at(recording[2].body, 0).size_bytes = 81;
  const TraceFolder folder;
  record_trace(folder.path(), with_idle(recording));
  REQUIRE_THROWS_WITH(schedule_of(Trace(folder.path())), Catch::Contains("rank_00000.fgt: iteration 2 "));
}

TEST_CASE("a trace without iterations has no schedule") {
  const TraceFolder folder;
  record_trace(folder.path(), {{}});
  REQUIRE_THROWS_WITH(schedule_of(Trace(folder.path())), Catch::Contains("no iteration was recorded"));
}

}  // namespace
}  // namespace finegrain
