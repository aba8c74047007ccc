// SPDX-License-Identifier: MIT
#include <catch2/catch.hpp>
#include <filesystem>
#include <iterator>

#include "tests/traces/formats/program.hpp"
#include "tests/traces/recording.hpp"
#include "traces/formats/format.hpp"
#include "traces/io/input_error.hpp"
#include "traces/packed_trace.hpp"
#include "traces/verify.hpp"

namespace finegrain {
namespace {

using namespace test;
using formats::Import;
using formats::import_goal;

/// A schedule, imported.
class ReadGoal {
 public:
  explicit ReadGoal(const std::string& text) {
    write_file(folder_.path() / "a.goal", text);
    import_ = import_goal(folder_.path() / "a.goal", folder_.path() / "trace");
    for (int rank = 0; rank < import_.ranks; ++rank)
      ranks_.push_back(read_all(Trace(folder_.path() / "trace"), rank));
  }
  const Import& import() const { return import_; }
  bool is_consistent() const { return verify(Trace(folder_.path() / "trace")).ok(); }
  /// What a rank does after MPI_Init, one after the other: "calc 5", "send to 1, 8 B", "wait for 1 of 2".
  std::vector<std::string> steps(std::size_t rank) const {
    std::vector<std::string> steps;
    for (std::size_t c = 1; c < ranks_.at(rank).size(); ++c) {
      const RecordedIteration& call = ranks_[rank][c];
      if (call.regions.size() == 2 && call.regions[0].length_ns() > 0)
        steps.push_back("calc " + std::to_string(call.regions[0].length_ns()));
      for (const Operation& operation : call.body.operations_of(call.body.regions.back()))
        steps.push_back(describe(operation));
    }
    return steps;
  }
  const RecordedIteration& call(std::size_t rank, std::size_t call) const { return ranks_.at(rank).at(call); }

 private:
  TraceFolder folder_;
  Import import_;
  std::vector<RankRecording> ranks_;
};

std::string two_ranks(const std::string& of_0, const std::string& of_1) {
  return "num_ranks 2\nrank 0 {\n" + of_0 + "}\nrank 1 {\n" + of_1 + "}\n";
}

std::string refusal_of_goal(const std::string& text) {
  try {
    ReadGoal read(text);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

/// Any collective, as this one: rank 0 sends 100 bytes to each other rank.
std::vector<Operation> linear_broadcast(const Collective& /*collective*/, const Body& /*body*/, int rank) {
  if (rank > 0) return {Post{.kind = TransferKind::receive, .blocking = true, .peer = 0, .size_bytes = 100}};
  std::vector<Operation> sends;
  for (int peer = 1; peer < small_program_ranks; ++peer)
    sends.emplace_back(Post{.kind = TransferKind::send, .peer = peer, .size_bytes = 100});
  sends.emplace_back(Complete{.oldest = small_program_ranks - 1, .count = small_program_ranks - 1});
  return sends;
}

TEST_CASE(
    "GOAL: imported as one file, a trace is what packing its folder makes, and is there only when whole") {
  const TraceFolder folder;
  const auto path = [&](const char* name) { return folder.path() / name; };
  write_file(path("a.goal"), two_ranks("send 8b to 1\n", "recv 8b from 0\n"));
  import_goal(path("a.goal"), path("folder"));
  pack_trace(path("folder"), path("packed.tar"));
  import_goal(path("a.goal"), path("imported.tar"));
  const Trace packed(path("packed.tar"));
  const Trace imported(path("imported.tar"));
  for (int rank = 0; rank < 2; ++rank)
    CHECK(read_all(imported, rank) == read_all(packed, rank));
  // All that may differ is the manifest's time, and with it the checksum.
  CHECK(read_file(path("imported.tar")).size() == read_file(path("packed.tar")).size());
  CHECK(std::filesystem::is_regular_file(path("imported.tar")));
  CHECK_THROWS_WITH(import_goal(path("a.goal"), path("imported.tar")), Catch::Contains("never overwritten"));
  write_file(path("bad.goal"), two_ranks("send 8b to 1\n", "send 8b to 2\n"));
  CHECK_THROWS_AS(import_goal(path("bad.goal"), path("bad.tar")), InputError);
  // The two schedules, the folder and the two files.
  CHECK(std::distance(std::filesystem::directory_iterator(folder.path()), {}) == 5);
}

TEST_CASE("goal: a rank begins what it may, calculates, and waits only where it has to") {
  const ReadGoal read(two_ranks(
      "l1: calc 500\nl2: recv 16b from 1 tag 7\nl3: send 8b to 1 tag 3\nl3 requires l1\nl4: calc 90\n"
      "l4 requires l2\n",
      "send 16b to 0 tag 7\nrecv 8b from 0 tag 3\n"));
  // The receive needs nothing, so that it comes before the calculation; l4 waits for it.
  CHECK(read.steps(0) ==
        std::vector<std::string>{
            describe(Post{.kind = TransferKind::receive, .peer = 1, .tag = 7, .size_bytes = 16}), "calc 500",
            describe(Post{.kind = TransferKind::send, .peer = 1, .tag = 3, .size_bytes = 8}),
            describe(Complete{2, 1}), "calc 90", describe(Complete{1, 1})});
  CHECK(read.import().messages == 2);
  CHECK(read.import().notes.empty());
  CHECK(read.is_consistent());
}

TEST_CASE("goal: irequires waits for the beginning, requires for the end") {
  const std::string receives = "recv 1b from 0\nrecv 1b from 0\n";
  const Post send{.kind = TransferKind::send, .peer = 1, .size_bytes = 1};
  const ReadGoal begun(two_ranks("a: send 1b to 1\nb: send 1b to 1\nb irequires a\n", receives));
  CHECK(begun.steps(0) == std::vector<std::string>{describe(send), describe(send), describe(Complete{2, 2})});
  const ReadGoal ended(two_ranks("a: send 1b to 1\nb: send 1b to 1\nb requires a\n", receives));
  CHECK(ended.steps(0) == std::vector<std::string>{describe(send), describe(Complete{1, 1}), describe(send),
                                                   describe(Complete{1, 1})});
}

TEST_CASE("goal: comments, blanks, cpus, nics and messages of any source are read") {
  const ReadGoal read(
      "/* two\nranks */ num_ranks 2 // really\n\nrank 0 {\r\n  l1 : recv 5 b from -1 tag -1 cpu 1 nic 2\n"
      "calc 7 cpu 3\n}\nrank 1 {\nsend 5b to 0 tag 9 nic 1\n}\n");
  const Post taken = std::get<Post>(read.call(0, 1).body.operations.back());
  CHECK(taken.any_source);
  CHECK(taken.any_tag);
  CHECK(taken.peer == 1);
  CHECK(taken.tag == 9);
  REQUIRE(read.import().notes.size() == 2);
  CHECK_THAT(read.import().notes[0], Catch::StartsWith("1 rank on several cpus"));
}

TEST_CASE("goal: what the order of one rank cannot hold is said, with the number of times") {
  const ReadGoal read(two_ranks(
      "a: recv 1b from 1 tag 1\nb: recv 1b from 1 tag 2\nc: calc 1\nd: calc 2\nc requires a\nd requires b\n",
      "send 1b to 0 tag 1\nsend 1b to 0 tag 2\n"));
  REQUIRE(read.import().notes.size() == 1);
  CHECK_THAT(read.import().notes[0], Catch::StartsWith("1 times a rank may go on with whichever"));
}

/// Rank 0 has a: a receive, b: 1 ms of work, d: another one after b, and c: a send that waits for a.
ReadGoal independent_work(const std::string& of_sender) {
  return ReadGoal(two_ranks(
      "a: recv 8b from 1 tag 1\nb: calc 1000000\nc: send 8b to 1 tag 2\nc requires a\nd: calc 1000000\n"
      "d requires b\n",
      of_sender + "r: recv 8b from 0 tag 2\n"));
}

TEST_CASE("goal: what waits for a message comes before calculations that begin after the message came") {
  const std::string receive =
      describe(Post{.kind = TransferKind::receive, .peer = 1, .tag = 1, .size_bytes = 8});
  const std::string send = describe(Post{.kind = TransferKind::send, .peer = 1, .tag = 2, .size_bytes = 8});
  const std::string wait = describe(Complete{1, 1});
  // The message is sent at 0.5 ms, so that it has come when b ends at 1 ms.
  const ReadGoal early = independent_work("s: calc 500000\na: send 8b to 0 tag 1\na requires s\n");
  CHECK(early.steps(0) ==
        std::vector<std::string>{receive, "calc 1000000", wait, send, "calc 1000000", wait});
  CHECK(early.is_consistent());
  REQUIRE(early.import().notes.size() == 1);
  CHECK_THAT(early.import().notes[0], Catch::StartsWith("1 times a rank may go on with whichever"));
  // If it is sent at 1.5 ms, d begins before it has come.
  const ReadGoal late = independent_work("s: calc 1500000\na: send 8b to 0 tag 1\na requires s\n");
  CHECK(late.steps(0) == std::vector<std::string>{receive, "calc 2000000", wait, send, wait});
  // One of 100 MB takes 8 ms at 100 Gbit/s, so that the rank calculates meanwhile.
  const ReadGoal large(
      two_ranks("a: recv 100000000b from 1\nb: calc 1000000\nc: calc 5\nc requires a\nd: calc 1000000\n",
                "send 100000000b to 0\n"));
  CHECK(large.steps(0) ==
        std::vector<std::string>{
            describe(Post{.kind = TransferKind::receive, .peer = 1, .size_bytes = 100'000'000}),
            "calc 2000000", describe(Complete{1, 1}), "calc 5"});
}

TEST_CASE("goal: a rank works while any of its cpus calculates, and messages stand within") {
  const ReadGoal read(two_ranks(
      "w: calc 100 cpu 0\nr: recv 1b from 1 cpu 1\ns: send 1b to 1 cpu 1\ns requires r\nv: calc 50 cpu 1\n"
      "v requires s\n",
      "a: calc 30\nb: send 1b to 0\nb requires a\nrecv 1b from 0\n"));
  // The message arrives after 30 ns. Then 50 ns of one cpu are within the 100 ns of the other.
  CHECK(read.steps(0) ==
        std::vector<std::string>{describe(Post{.kind = TransferKind::receive, .peer = 1, .size_bytes = 1}),
                                 "calc 30", describe(Complete{1, 1}),
                                 describe(Post{.kind = TransferKind::send, .peer = 1, .size_bytes = 1}),
                                 describe(Complete{1, 1}), "calc 70"});
  CHECK(read.is_consistent());
}

TEST_CASE(
    "goal: where one rank's order needs an execution, ranks of several cpus have the order of the same one") {
  // Rank 1 goes on with c or with d, whichever may begin first.
  const ReadGoal read(
      two_ranks("w: calc 500 cpu 0\nr: recv 1b from 1 cpu 1\nx: send 1b to 1 tag 5 cpu 1\nv: calc 50 cpu 1\n"
                "v requires r\n",
                "send 1b to 0\na: recv 1b from 0 tag 5\nb: calc 1000\nc: calc 5\nc requires a\n"
                "d: calc 7\nd requires b\n"));
  // The message takes 1 us, so that v begins after w has ended. If it took no time, w would contain v.
  const auto post = [](TransferKind kind, int tag) {
    return describe(Post{.kind = kind, .peer = 1, .tag = tag, .size_bytes = 1});
  };
  CHECK(read.steps(0) == std::vector<std::string>{post(TransferKind::receive, 0), post(TransferKind::send, 5),
                                                  "calc 500", describe(Complete{2, 1}), "calc 50",
                                                  describe(Complete{1, 1})});
  REQUIRE(read.import().notes.size() == 2);
  CHECK_THAT(read.import().notes[1], Catch::Contains("in which messages take 1 us and 0.08 ns a byte"));
}

TEST_CASE("goal: cpus whose operations wait for one another are refused as those of one cpu are") {
  CHECK_THAT(refusal_of_goal("num_ranks 1\nrank 0 {\na: calc 1 cpu 0\nb: calc 2 cpu 1\na requires b\n"
                             "b requires a\n}\n"),
             Catch::Contains("a.goal:3: waits for itself"));
}

TEST_CASE("goal: what is exported, imported and exported again is the same text") {
  const TraceFolder folder;
  write_program(folder.path() / "trace", small_program());
  const auto first = formats::export_goal(Trace(folder.path() / "trace"), folder.path() / "first.goal",
                                          {.expand = linear_broadcast});
  import_goal(folder.path() / "first.goal", folder.path() / "again");
  CHECK(verify(Trace(folder.path() / "again")).ok());
  const auto second = formats::export_goal(Trace(folder.path() / "again"), folder.path() / "second.goal",
                                           {.expand = linear_broadcast});
  CHECK(first.count == second.count);
  CHECK(read_file(folder.path() / "first.goal") == read_file(folder.path() / "second.goal"));
  import_goal(folder.path() / "second.goal", folder.path() / "third");
  CHECK(difference(folder.path() / "again", folder.path() / "third") == "equal");
}

TEST_CASE("goal: what is exported has the work, the messages and what waits for them") {
  const TraceFolder folder;
  std::vector<formats::RankCalls> ranks(2);
  for (std::int32_t rank = 0; rank < 2; ++rank) {
    formats::RankCalls& calls = ranks[static_cast<std::size_t>(rank)];
    calls.begin(RegionName("MPI_Init"), 0);
    calls.begin(RegionName("MPI_Irecv"), 70);
    calls.end(80);
    const std::int64_t request =
        calls.add(Post{.kind = TransferKind::receive, .peer = 1 - rank, .tag = 4, .size_bytes = 24});
    calls.begin(RegionName("MPI_Send"), 80);
    calls.end(90);
    calls.add(
        Post{.kind = TransferKind::send, .blocking = true, .peer = 1 - rank, .tag = 4, .size_bytes = 24});
    calls.begin(RegionName("MPI_Wait"), 100);
    calls.end(110);
    calls.complete({request});
    calls.begin(RegionName("MPI_Finalize"), 150);
  }
  write_program(folder.path() / "trace", ranks);
  formats::export_goal(Trace(folder.path() / "trace"), folder.path() / "a.goal",
                       {.expand = linear_broadcast});
  CHECK_THAT(read_file(folder.path() / "a.goal"),
             Catch::Contains("num_ranks 2\n\nrank 0 {\n"
                             "l1: calc 70\n"
                             "l2: recv 24b from 1 tag 4\nl2 requires l1\n"
                             "l3: send 24b to 1 tag 4\nl3 irequires l2\n"
                             "l4: calc 10\nl4 requires l3\n"
                             "l5: calc 40\nl5 requires l2\nl5 requires l4\n}\n"));
}

TEST_CASE("goal: what threads begin is written where it began, what they wait for where it ended") {
  const TraceFolder folder;
  write_program(folder.path() / "trace", program_of_threads());
  formats::export_goal(Trace(folder.path() / "trace"), folder.path() / "a.goal",
                       {.expand = linear_broadcast});
  // The send begins although the receive has not ended.
  CHECK_THAT(read_file(folder.path() / "a.goal"),
             Catch::Contains("rank 0 {\nl1: recv 8b from 1 tag 1\n"
                             "l2: send 8b to 1 tag 1\nl2 irequires l1\n"));
}

TEST_CASE("goal: a collective during which other threads go on is refused") {
  const TraceFolder folder;
  std::vector<formats::RankCalls> ranks = program_of_threads();
  for (formats::RankCalls& calls : ranks) {
    calls.begin(RegionName("MPI_Bcast"), 70);
    calls.add(Collective{.kind = CollectiveKind::broadcast, .size_bytes = 8});
    calls.end(80);
  }
  write_program(folder.path() / "trace", ranks);
  CHECK_THROWS_WITH(formats::export_goal(Trace(folder.path() / "trace"), folder.path() / "a.goal",
                                         {.expand = linear_broadcast}),
                    Catch::Contains("one thread of the rank waits in its broadcast while others go on") &&
                        Catch::Contains("OTF2"));
}

TEST_CASE("goal: one-sided transfers are refused, other communicators' messages get tags of their own") {
  const TraceFolder folder;
  write_program(folder.path() / "halves", program_of_halves(), halves());
  const auto nothing = [](const Collective&, const Body&, int) { return std::vector<Operation>(); };
  const auto result =
      formats::export_goal(Trace(folder.path() / "halves"), folder.path() / "a.goal", {.expand = nothing});
  CHECK_THAT(result.notes.back(), Catch::StartsWith("2 messages of other communicators"));
  CHECK_THAT(read_file(folder.path() / "a.goal"), Catch::Contains("send 48b to 2 tag 0\n"));
  std::vector<formats::RankCalls> puts(2);
  for (formats::RankCalls& rank : puts) {
    rank.begin(RegionName("MPI_Put"), 0);
    rank.add(Post{.kind = TransferKind::put, .peer = 1, .size_bytes = 8});
  }
  write_program(folder.path() / "puts", puts);
  CHECK_THROWS_WITH(
      formats::export_goal(Trace(folder.path() / "puts"), folder.path() / "b.goal", {.expand = nothing}),
      Catch::Contains("rank_00000.fgt: call 0 is a put (GOAL has sends and receives only)"));
}

TEST_CASE("goal: what a line cannot mean is refused with its number") {
  CHECK_THAT(refusal_of_goal("rank 0 {\n}\n"), Catch::Contains("a.goal:1: comes before the number of ranks"));
  CHECK_THAT(refusal_of_goal("num_ranks 1\nrank 1 {\n}\n"),
             Catch::Contains("a.goal:2: has '1' for a number from 0 to 0"));
  CHECK_THAT(refusal_of_goal("num_ranks 2000000000\nrank 0 {\n}\n"),
             Catch::Contains("a.goal:3: is the last line, and there were 1 of 2000000000 ranks"));
  CHECK_THAT(refusal_of_goal(two_ranks("put 8b to 1\n", "")),
             Catch::Contains("a.goal:3: is none of send, recv, calc"));
  CHECK_THAT(refusal_of_goal(two_ranks("send 8 to 1\n", "")), Catch::Contains("a.goal:3: lacks 'b'"));
  CHECK_THAT(refusal_of_goal(two_ranks("send 8b to 2\n", "")),
             Catch::Contains("a.goal:3: has '2' for a number from 0 to 1"));
  CHECK_THAT(refusal_of_goal(two_ranks("a: calc 1\na requires b\n", "")),
             Catch::Contains("a.goal:4: names 'b', which no operation of this rank before has as a label"));
  CHECK_THAT(refusal_of_goal(two_ranks("a: calc 1\nb: calc 1\na requires b\nb requires a\n", "")),
             Catch::Contains("a.goal:3: waits for itself"));
  CHECK_THAT(refusal_of_goal(two_ranks("calc 1 2\n", "")), Catch::Contains("a.goal:3: goes on with '2'"));
  CHECK_THAT(refusal_of_goal("num_ranks 1\nrank 0 {\n"), Catch::Contains("the last rank has no '}'"));
}

}  // namespace
}  // namespace finegrain
