// SPDX-License-Identifier: MIT
#include "traces/timeline_export.hpp"

#include <fmt/format.h>
#include <catch2/catch.hpp>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>

#include "recording.hpp"
#include "traces/io/input_error.hpp"

using namespace finegrain;
using namespace finegrain::test;
using nlohmann::json;

namespace {

/// Two ranks on one node; rank 0 sends 1,000 bytes to rank 1 in each iteration, of 10 us.
std::vector<RankRecording> ping(int iterations) {
  std::vector<RankRecording> ranks(2);
  for (int i = 0; i < iterations; ++i) {
    const std::int64_t start_ns = 1'000'000 + 10'000 * i;
    RecordedIteration sender;
    sender.body.add_region(regions::pack, Work{64});
    sender.body.begin_region(regions::send);
    sender.body.add(transfer(TransferKind::send, 1, 1000));
    sender.body.add_region(regions::wait, Complete::all());
    sender.time = {start_ns, start_ns + 8000};
    sender.regions = {
        {start_ns, start_ns + 1000}, {start_ns + 1000, start_ns + 2000}, {start_ns + 2000, start_ns + 8000}};
    sender.posts = {{start_ns + 1500, start_ns + 7000}};
    RecordedIteration receiver;
    receiver.body.begin_region(regions::receive);
    receiver.body.add(transfer(TransferKind::receive, 0, 1000));
    receiver.body.add_region(regions::wait, Complete::all());
    receiver.time = {start_ns, start_ns + 9000};
    receiver.regions = {{start_ns, start_ns + 500}, {start_ns + 500, start_ns + 9000}};
    receiver.posts = {{start_ns + 100, start_ns + 8000}};
    ranks[0].push_back(sender);
    ranks[1].push_back(receiver);
  }
  return ranks;
}

struct Exported {
  TimelineExport result;
  std::string text;
};

Exported exported(const std::vector<RankRecording>& ranks, TimelineFormat format,
                  const TimelineSelection& selection = {}) {
  const TraceFolder folder;
  record_trace(folder.path() / "trace", ranks);
  const auto file = folder.path() / "timeline";
  const TimelineExport result = export_timeline(Trace(folder.path() / "trace"), format, selection, file);
  return {result, read_file(file)};
}

json events_of(const Exported& timeline, const std::string& type) {
  json events = json::array();
  const json document = json::parse(timeline.text);
  for (const json& event : document.at("traceEvents")) {
    if (event.at("ph") == type) events.push_back(event);
  }
  return events;
}

}  // namespace

TEST_CASE("chrome: phases are slices of their rank's thread, in microseconds since the run's start") {
  const Exported timeline = exported(ping(2), TimelineFormat::chrome);
  const json slices = events_of(timeline, "X");
  REQUIRE(slices.size() == 2 * (3 + 2));
  CHECK(slices[1].at("name") == "send");
  CHECK(slices[1].at("tid") == 0);
  CHECK(slices[1].at("ts") == 1.);
  CHECK(slices[1].at("dur") == 1.);
  CHECK(slices[3].at("ts") == 10.);
  CHECK(slices[3].at("args").at("iteration") == 1);
  CHECK(timeline.result.bytes == timeline.text.size());
}

TEST_CASE("chrome: an arrow goes from each send to its receive, within slices of both threads") {
  const Exported timeline = exported(ping(2), TimelineFormat::chrome);
  const json starts = events_of(timeline, "s");
  const json ends = events_of(timeline, "f");
  REQUIRE(starts.size() == 2);
  REQUIRE(ends.size() == 2);
  CHECK(starts[0].at("id") != starts[1].at("id"));
  for (std::size_t i = 0; i < 2; ++i) {
    CHECK(starts[i].at("id") == ends[i].at("id"));
    CHECK(starts[i].at("tid") == 0);
    CHECK(ends[i].at("tid") == 1);
    CHECK(starts[i].at("ts") == 10. * static_cast<double>(i) + 1.5);
    CHECK(ends[i].at("ts") == 10. * static_cast<double>(i) + 8);
  }
}

TEST_CASE("chrome: arrows follow tags where receives are posted in another order than sends") {
  std::vector<RankRecording> ranks = ping(2);
  const auto tag = [&](std::size_t rank, std::size_t iteration, std::int32_t number) {
    for (Operation& operation : ranks[rank][iteration].body.operations)
      if (auto* post = std::get_if<Post>(&operation)) post->tag = number;
  };
  tag(0, 0, 1), tag(0, 1, 2), tag(1, 0, 2), tag(1, 1, 1);
  const Exported timeline = exported(ranks, TimelineFormat::chrome);
  const json starts = events_of(timeline, "s");
  const json ends = events_of(timeline, "f");
  REQUIRE(starts.size() == 2);
  CHECK(starts[0].at("id") == ends[1].at("id"));
  CHECK(starts[1].at("id") == ends[0].at("id"));
}

TEST_CASE("chrome: of random recordings, whatever begins ends, and no two phases of a rank overlap") {
  std::mt19937_64 random(3);
  std::vector<RankRecording> ranks;
  for (int rank = 0; rank < 4; ++rank)
    ranks.push_back(random_recording(random, 4, 5));
  const Exported timeline = exported(ranks, TimelineFormat::chrome);
  std::map<std::string, int> open;
  for (const json& event : events_of(timeline, "b"))
    ++open[event.at("id")];
  for (const json& event : events_of(timeline, "e"))
    --open[event.at("id")];
  CHECK(!open.empty());
  for (const auto& [id, count] : open)
    CHECK(count == 0);
  std::map<int, double> end_us;
  for (const json& slice : events_of(timeline, "X")) {
    double& last_us = end_us.try_emplace(slice.at("tid"), -1e300).first->second;
    CHECK(slice.at("ts").get<double>() >= last_us - 1e-6);
    last_us = slice.at("ts").get<double>() + slice.at("dur").get<double>();
  }
}

TEST_CASE("csv: a row a phase, and a row a message after it") {
  const Exported timeline = exported(ping(1), TimelineFormat::csv);
  CHECK(timeline.text ==
        "rank,iteration,phase,event,peer,bytes,repeat,memory_bytes,start_us,end_us\n"
        "0,0,0,pack,,,,64,0.000,1.000\n"
        "0,0,1,send,,,,0,1.000,2.000\n"
        "0,0,1,send,1,1000,1,,1.500,7.000\n"
        "0,0,2,wait,,,,0,2.000,8.000\n"
        "1,0,0,receive,,,,0,0.000,0.500\n"
        "1,0,0,receive,0,1000,1,,0.100,8.000\n"
        "1,0,1,wait,,,,0,0.500,9.000\n");
}

TEST_CASE("export: a window shows what overlaps it, and arrows keep their ends") {
  TimelineSelection selection;
  selection.from_s = 11.2e-6;
  selection.until_s = 18.5e-6;
  const Exported timeline = exported(ping(3), TimelineFormat::chrome, selection);
  CHECK(events_of(timeline, "X").size() == 2 + 1);  // send and wait, wait
  REQUIRE(events_of(timeline, "s").size() == 1);
  CHECK(events_of(timeline, "s")[0].at("id") == events_of(timeline, "f")[0].at("id"));
}

TEST_CASE("export: only the ranks that are asked for, and no arrow to others") {
  TimelineSelection selection;
  selection.ranks = {1};
  const Exported timeline = exported(ping(2), TimelineFormat::chrome, selection);
  CHECK(events_of(timeline, "X").size() == 2 * 2);
  CHECK(events_of(timeline, "b").size() == 2);
  CHECK(events_of(timeline, "f").empty());
  selection.ranks = {1, 2};
  CHECK_THROWS_WITH(exported(ping(2), TimelineFormat::chrome, selection),
                    "ranks: there is no rank 2 (the run had 2, from 0). Give others");
}

TEST_CASE("export: what is too large ends with the last iteration that fits on all ranks") {
  const std::uint64_t whole = exported(ping(50), TimelineFormat::csv).result.bytes;
  TimelineSelection selection;
  selection.most_bytes = whole / 2;
  const Exported timeline = exported(ping(50), TimelineFormat::csv, selection);
  CHECK(timeline.result.bytes <= whole / 2);
  CHECK(timeline.result.iterations >= 20);
  CHECK(timeline.result.iterations + timeline.result.left_out == 50);
  for (int rank = 0; rank < 2; ++rank) {
    const auto row = [&](std::int64_t iteration) { return fmt::format("\n{},{},0,", rank, iteration); };
    CHECK(timeline.text.find(row(timeline.result.iterations - 1)) != std::string::npos);
    CHECK(timeline.text.find(row(timeline.result.iterations)) == std::string::npos);
  }
}

TEST_CASE("export: a killed rank's iterations are exported as far as they go, and said to end") {
  const TraceFolder folder;
  record_trace(folder.path() / "trace", ping(5));
  std::filesystem::remove(folder.path() / "trace" / "rank_00001.fgt");
  const TimelineExport result =
      export_timeline(Trace(folder.path() / "trace"), TimelineFormat::csv, {}, folder.path() / "timeline");
  REQUIRE(result.problems.size() == 1);
  CHECK_THAT(result.problems[0], Catch::Contains("rank_00001.fgt"));
  CHECK(result.iterations == 5);
}

TEST_CASE("export: the largest numbers that a file can hold are exported") {
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min();
  RecordedIteration recorded;
  recorded.body.begin_region(regions::put);
  recorded.body.add(transfer(TransferKind::put, 0, std::int64_t{1} << 61, 2));
  recorded.time = {least, least + 1000};
  recorded.regions = recorded.posts = {recorded.time};
  RecordedIteration last = recorded;
  last.time = {most - 1000, most};
  last.regions = last.posts = {last.time};
  const Exported timeline = exported({{recorded, last}}, TimelineFormat::chrome);
  REQUIRE(!events_of(timeline, "b").empty());
  CHECK(events_of(timeline, "b")[0].at("args").at("bytes").dump() ==
        fmt::format("{}", std::uint64_t{1} << 62));
}

TEST_CASE("a window: what overlaps it, of the ranks that are asked for, and no more rows than asked for") {
  const TraceFolder folder;
  record_trace(folder.path() / "trace", ping(3));
  const Trace trace(folder.path() / "trace");
  // The second iteration begins after 10 us: rank 1 receives until 10.5 us, then waits until 19 us.
  const RegionsInWindow found =
      regions_in_window(trace, {.from_s = 10.2e-6, .until_s = 10.8e-6, .ranks = {1}}, 10);
  REQUIRE(found.regions.size() == 2);
  CHECK(found.regions[0].rank == 1);
  CHECK(found.regions[0].iteration == 1);
  CHECK(found.regions[0].name == regions::receive);
  CHECK(found.regions[0].start_us == Approx(10));
  CHECK(found.regions[0].end_us == Approx(10.5));
  CHECK(found.regions[0].messages == 1);
  CHECK(found.regions[0].message_bytes == 1000);
  CHECK(found.regions[1].name == regions::wait);
  const RegionsInWindow first = regions_in_window(trace, {}, 4);
  CHECK(first.regions.size() == 4);
  CHECK(first.left_out == 3 * (3 + 2) - 4);
}

TEST_CASE(
    "csv: a name of a phase that a spreadsheet would take for a formula is none, and stays in its column") {
  std::vector<RankRecording> ranks = ping(1);
  ranks[0][0].body.regions[0].name = RegionName("=2+5");
  ranks[0][0].body.regions[2].name = RegionName("@a,\"b\"");
  const std::string text = exported(ranks, TimelineFormat::csv).text;
  CHECK_THAT(text, Catch::Contains("\n0,0,0,'=2+5,,,,64,"));
  CHECK_THAT(text, Catch::Contains("\n0,0,2,\"'@a,\"\"b\"\"\",,,,0,"));
}
