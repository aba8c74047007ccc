// SPDX-License-Identifier: MIT
#include <catch2/catch.hpp>
#include <limits>

#include "tests/traces/recording.hpp"
#include "traces/rank_file_reader.hpp"
#include "traces/recorder.hpp"

namespace finegrain {
namespace {

using namespace test;

RankRecording through_disk(const RankRecording& recording, int ranks = 9) {
  const TraceFolder folder;
  REQUIRE(record(folder.path(), 3, recording));
  write_manifest(folder.path(), manifest_of(ranks, static_cast<std::int64_t>(recording.size())));
  return read_all(Trace(folder.path()), 3);
}

TEST_CASE("whatever was recorded is read back, shapes changing midway") {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    CAPTURE(seed);
    std::mt19937_64 random(seed);
    const RankRecording recording = random_recording(random, 9, static_cast<int>(random() % 40));
    REQUIRE(through_disk(recording) == recording);
  }
}

TEST_CASE("more alternating shapes than the encoder looks back on are read back") {
  std::mt19937_64 random(1);
  std::vector<RecordedIteration> shapes;
  for (int s = 0; s < 20; ++s)
    shapes.push_back(random_iteration(random, 9, 0));
  RankRecording recording;
  for (int i = 0; i < 200; ++i)
    recording.push_back(at_new_times(shapes[random() % shapes.size()], random, 1000 * i));
  REQUIRE(through_disk(recording) == recording);
}

TEST_CASE("a recording of no iterations is read back") {
  REQUIRE(through_disk({}).empty());
}

TEST_CASE("an iteration of no phases is read back") {
  const RankRecording recording{{{}, {10, 20}, {}, {}}, {{}, {20, 20}, {}, {}}};
  REQUIRE(through_disk(recording) == recording);
}

TEST_CASE("phases without messages are read back") {
  RecordedIteration recorded;
  recorded.body.add_region(regions::compute, Work{123});
  recorded.body.add_region(regions::barrier, Collective{});
  recorded.time = {10, 40};
  recorded.regions = {{10, 20}, {21, 39}};
  REQUIRE(through_disk({recorded, recorded}) == RankRecording{recorded, recorded});
}

TEST_CASE("the largest numbers are read back") {
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min();
  RecordedIteration recorded;
  constexpr std::int64_t most_of_nine_ranks = most / 9;
  recorded.body.add_region(regions::put, Work{most_of_nine_ranks});
  recorded.body.add(transfer(TransferKind::put, 8, most_of_nine_ranks, 1));
  recorded.body.add(transfer(TransferKind::put, 8, 0, most_of_nine_ranks - 1));
  recorded.time = {least, most};
  recorded.regions = {{most, least}};
  recorded.posts = {{least, most}, {most, least}};
  REQUIRE(through_disk({recorded, recorded}) == RankRecording{recorded, recorded});
}

TEST_CASE("the last of the most ranks that can be is read back as a peer") {
  constexpr std::int32_t ranks = std::numeric_limits<std::int32_t>::max();
  RecordedIteration recorded;
  recorded.body.begin_region(regions::put);
  recorded.body.add(transfer(TransferKind::put, ranks - 1, 8));
  recorded.regions.resize(1);
  recorded.posts.resize(1);
  const TraceFolder folder;
  REQUIRE(record(folder.path(), 3, {recorded}));
  RankFileReader reader(FileSlice(folder.path() / "rank_00003.fgt"), 3, ranks);
  const auto* read = reader.next();
  REQUIRE(read != nullptr);
  REQUIRE(read->shape->body == recorded.body);
}

TEST_CASE("a message that is never completed ends with its iteration, a second completion is ignored") {
  const TraceFolder folder;
  Recorder recorder(folder.path(), 0, read_clock);
  now_ns = 100;
  recorder.begin_iteration();
  recorder.begin_region(regions::send);
  const int first = recorder.post(transfer(TransferKind::send, 0, 8));
  recorder.post(transfer(TransferKind::send, 0, 8));
  now_ns = 110;
  recorder.ended(first);
  now_ns = 120;
  recorder.ended(first);
  recorder.ended(77);
  recorder.end_region();
  now_ns = 130;
  recorder.end_iteration();
  REQUIRE(recorder.finish());
  write_manifest(folder.path(), manifest_of(1, 1));
  const RankRecording read = read_all(Trace(folder.path()), 0);
  REQUIRE(read.size() == 1);
  REQUIRE(read[0].posts == std::vector<Interval>{{100, 110}, {100, 130}});
}

TEST_CASE("of a coarser clock, every time is the multiple below it, and nothing else changes") {
  std::mt19937_64 random(5);
  const RankRecording recording = random_recording(random, 1, 30);
  const TraceFolder folder;
  constexpr std::int64_t resolution_ns = 1000;
  REQUIRE(record(folder.path(), 0, recording, resolution_ns));
  write_manifest(folder.path(), manifest_of(1, 30));
  const RankRecording read = read_all(Trace(folder.path()), 0);
  REQUIRE(read.size() == recording.size());
  const auto is_floor = [&](const Interval& coarse, const Interval& exact) {
    for (const auto& [low_ns, ns] :
         {std::pair(coarse.start_ns, exact.start_ns), {coarse.end_ns, exact.end_ns}}) {
      CHECK(low_ns % resolution_ns == 0);
      CHECK(low_ns <= ns);
      CHECK(ns < low_ns + resolution_ns);
    }
  };
  for (std::size_t i = 0; i < read.size(); ++i) {
    CHECK(read[i].body == recording[i].body);
    is_floor(read[i].time, recording[i].time);
    for (std::size_t p = 0; p < read[i].regions.size(); ++p)
      is_floor(read[i].regions[p], recording[i].regions[p]);
    for (std::size_t m = 0; m < read[i].posts.size(); ++m)
      is_floor(read[i].posts[m], recording[i].posts[m]);
  }
}

TEST_CASE("an iteration that is open when the recorder goes away is left out") {
  const TraceFolder folder;
  std::mt19937_64 random(1);
  {
    Recorder recorder(folder.path(), 0, read_clock);
    recorder.begin_iteration();
    recorder.end_iteration();
    recorder.begin_iteration();
    recorder.begin_region(regions::compute);
  }
  write_manifest(folder.path(), manifest_of(1, 1));
  REQUIRE(read_all(Trace(folder.path()), 0).size() == 1);
}

TEST_CASE("a recorder does not change a trace that exists") {
  const TraceFolder folder;
  REQUIRE(record(folder.path(), 0, {}));
  const std::string before = read_file(folder.path() / "rank_00000.fgt");
  REQUIRE_THROWS_AS(Recorder(folder.path(), 0, read_clock), InputError);
  REQUIRE(read_file(folder.path() / "rank_00000.fgt") == before);
}

TEST_CASE("a recorder without a folder to write to says so") {
  const TraceFolder folder;
  write_file(folder.path() / "file", "");
  REQUIRE_THROWS_AS(Recorder(folder.path() / "file", 0, read_clock), InputError);
}

TEST_CASE("a long recording is written in several chunks, each near 1 MiB") {
  std::mt19937_64 random(5);
  RecordedIteration shape;
  shape.body.begin_region(regions::get);
  for (int m = 0; m < 500; ++m)
    shape.body.add(transfer(TransferKind::get, m % 9, 8 * m, 1));
  RankRecording recording;
  for (std::int64_t i = 0; i < 1500; ++i)
    recording.push_back(at_new_times(shape, random, 100'000'000 * i));
  const TraceFolder folder;
  REQUIRE(record(folder.path(), 0, recording));
  write_manifest(folder.path(), manifest_of(9, 1500));

  const std::string bytes = read_file(folder.path() / "rank_00000.fgt");
  int chunks = 0;
  std::size_t at = 0;
  for (std::size_t next = bytes.find("FGCK"); next != std::string::npos; next = bytes.find("FGCK", at + 1)) {
    if (chunks++ > 0) CHECK(next - at < (std::size_t{5} << 20) / 4);
    at = next;
  }
  REQUIRE(chunks > 2);
  REQUIRE(read_all(Trace(folder.path()), 0) == recording);
}

}  // namespace
}  // namespace finegrain
