// SPDX-License-Identifier: MIT
#include <catch2/catch.hpp>

#include "tests/traces/formats/program.hpp"
#include "tests/traces/recording.hpp"
#include "traces/formats/format.hpp"
#include "traces/verify.hpp"
#include "traces/work_in_flops.hpp"

namespace finegrain {
namespace {

using namespace test;
using formats::Import;
using formats::import_time_independent;

/// Actions, imported at 10^9 flop/s.
class Actions {
 public:
  explicit Actions(const std::string& actions) {
    write_file(folder_.path() / "actions.txt", actions);
    import_ = import_time_independent(folder_.path() / "actions.txt", folder_.path() / "trace", {1e9});
    for (int rank = 0; rank < import_.ranks; ++rank)
      ranks_.push_back(read_all(Trace(folder_.path() / "trace"), rank));
  }
  const Import& import() const { return import_; }
  bool is_consistent() const { return verify(Trace(folder_.path() / "trace")).ok(); }
  /// Operations of a call, the work before it left out.
  std::vector<Operation> operations(std::size_t rank, std::size_t call) const {
    const Body& body = ranks_.at(rank).at(call).body;
    const auto own = body.operations_of(body.regions.back());
    return {own.begin(), own.end()};
  }
  const RecordedIteration& call(std::size_t rank, std::size_t call) const { return ranks_.at(rank).at(call); }

 private:
  TraceFolder folder_;
  Import import_;
  std::vector<RankRecording> ranks_;
};

/// Each of two ranks sends a message to the other.
std::vector<Operation> barrier_of_two(const Collective& collective, const Body& /*body*/, int rank) {
  if (collective.communicator == 2 && rank == 2) return {};
  if (collective.kind == CollectiveKind::barrier) {
    const Post receive{.kind = TransferKind::receive, .peer = 1 - rank, .size_bytes = 8};
    const Post send{.kind = TransferKind::send, .peer = 1 - rank, .size_bytes = 8};
    return {receive, send, Complete{2, 2}};
  }
  // The second rank of each half is the root.
  const bool sends = rank >= 2;
  return {Post{.kind = sends ? TransferKind::send : TransferKind::receive,
               .blocking = true,
               .peer = sends ? rank - 2 : rank + 2,
               .size_bytes = collective.size_bytes}};
}

formats::ExportOptions within_a_gigabyte() {
  formats::ExportOptions options{.expand = barrier_of_two};
  options.selection.most_bytes = 1'000'000'000;
  return options;
}

formats::Export exported(const std::filesystem::path& trace, const std::filesystem::path& folder) {
  return formats::export_time_independent(Trace(trace), folder, within_a_gigabyte());
}

std::string refusal_of_actions(const std::string& actions) {
  try {
    Actions read(actions);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST_CASE("time-independent: what is exported and imported again has the same operations and times") {
  const TraceFolder folder;
  write_program(folder.path() / "trace", small_program());
  const auto result = exported(folder.path() / "trace", folder.path() / "ti");
  CHECK(result.notes.empty());
  import_time_independent(folder.path() / "ti/trace.txt", folder.path() / "again", {1e9});
  CHECK(difference(folder.path() / "trace", folder.path() / "again") == "equal");
  CHECK(verify(Trace(folder.path() / "again")).ok());
  // A call came every 110 ns, of which it took 10: those are not in the format.
  const RankRecording first = read_all(Trace(folder.path() / "trace"), 3);
  const RankRecording again = read_all(Trace(folder.path() / "again"), 3);
  CHECK(first.back().time.start_ns - first.front().time.end_ns ==
        again.back().time.start_ns - again.front().time.end_ns + 10 * (std::ssize(first) - 2));
}

TEST_CASE("time-independent: messages of other communicators get tags of their own") {
  const TraceFolder folder;
  auto ranks = program_of_halves();
  for (formats::RankCalls& rank : ranks)
    rank.operations.back() = Collective{};
  write_program(folder.path() / "messages", ranks, halves());
  const auto result = exported(folder.path() / "messages", folder.path() / "ti");
  REQUIRE(result.notes.size() == 1);
  CHECK_THAT(result.notes[0], Catch::StartsWith("2 messages of other communicators"));
  CHECK(read_file(folder.path() / "ti/rank_00000.txt").find("0 send 2 0 48 6\n") != std::string::npos);
  CHECK(read_file(folder.path() / "ti/rank_00001.txt").find("1 send 3 1 48 6\n") != std::string::npos);
}

TEST_CASE("time-independent: a collective of some ranks is written as its messages, under a tag of its own") {
  const TraceFolder folder;
  write_program(folder.path() / "trace", program_of_halves(), halves());
  const auto result = exported(folder.path() / "trace", folder.path() / "ti");
  REQUIRE(result.notes.size() == 2);
  CHECK_THAT(result.notes[0], Catch::StartsWith("4 collectives of some ranks"));
  // Tags 0 and 1 are of messages; then each communicator has 65.
  // Rank 2 is the root of its half: 1 in the communicator of ranks 0 and 2.
  CHECK_THAT(read_file(folder.path() / "ti/rank_00000.txt"), Catch::Contains("\n0 recv 2 67 100 6\n"));
  CHECK_THAT(read_file(folder.path() / "ti/rank_00002.txt"), Catch::Contains("\n2 send 0 67 100 6\n"));
  import_time_independent(folder.path() / "ti/trace.txt", folder.path() / "again", {1e9});
  CHECK(verify(Trace(folder.path() / "again")).ok());
}

TEST_CASE(
    "time-independent: a nonblocking collective of some ranks goes on at its wait, one of one rank is "
    "nothing") {
  const TraceFolder folder;
  std::vector<formats::RankCalls> ranks(3);
  for (std::int32_t rank = 0; rank < 3; ++rank) {
    formats::RankCalls& calls = ranks[static_cast<std::size_t>(rank)];
    calls.begin(RegionName("MPI_Ibarrier"), 0);
    const std::int64_t request = calls.add(Collective{.blocking = false, .communicator = rank < 2 ? 1 : 2});
    calls.begin(RegionName("MPI_Wait"), 0);
    calls.complete({request});
  }
  write_program(folder.path() / "trace", ranks, {{{0, 1}}, {{2}}});
  exported(folder.path() / "trace", folder.path() / "ti");
  CHECK(read_file(folder.path() / "ti/rank_00000.txt") ==
        "0 init\n0 irecv 1 66 8 6\n0 isend 1 66 8 6\n0 wait 1 0 66\n0 wait 0 1 66\n0 finalize\n");
  CHECK(read_file(folder.path() / "ti/rank_00002.txt") == "2 init\n2 finalize\n");
  import_time_independent(folder.path() / "ti/trace.txt", folder.path() / "again", {1e9});
  CHECK(verify(Trace(folder.path() / "again")).ok());
}

TEST_CASE("exports: a message that is repeated 10^9 times is counted before it is written") {
  const TraceFolder folder;
  std::vector<formats::RankCalls> ranks(2);
  for (std::int32_t rank = 0; rank < 2; ++rank) {
    formats::RankCalls& calls = ranks[static_cast<std::size_t>(rank)];
    calls.begin(RegionName("MPI_Send"), 0);
    calls.add(Post{.kind = rank == 0 ? TransferKind::send : TransferKind::receive,
                   .blocking = true,
                   .peer = 1 - rank,
                   .size_bytes = 1,
                   .repeat = 1'000'000'000});
  }
  write_program(folder.path() / "trace", ranks);
  const Trace trace(folder.path() / "trace");
  CHECK_THROWS_WITH(exported(folder.path() / "trace", folder.path() / "ti"), Catch::Contains("take"));
  CHECK_THROWS_WITH(formats::export_goal(trace, folder.path() / "goal", within_a_gigabyte()),
                    Catch::Contains("take"));
  CHECK_THROWS_WITH(formats::export_paje(trace, folder.path() / "paje", within_a_gigabyte()),
                    Catch::Contains("take"));
  CHECK(std::distance(std::filesystem::directory_iterator(folder.path()), {}) == 1);
  CHECK(verify(trace).ok());
}

TEST_CASE(
    "time-independent: what threads begin is written where it began, what they wait for where it ended") {
  const TraceFolder folder;
  std::vector<formats::RankCalls> ranks = program_of_threads();
  // Here one of a rank's threads waits, and the rank goes on.
  for (formats::RankCalls& calls : ranks) {
    calls.begin(RegionName("MPI_Bcast"), 70);
    calls.calls.back().thread = 1;
    calls.add(Collective{.kind = CollectiveKind::broadcast, .size_bytes = 8});
    calls.end(80);
  }
  write_program(folder.path() / "trace", ranks);
  const auto result = exported(folder.path() / "trace", folder.path() / "ti");
  std::string actions = read_file(folder.path() / "ti/rank_00000.txt");
  for (std::size_t at = 0; (at = actions.find("0 compute", at)) != std::string::npos;)
    actions.erase(at, actions.find('\n', at) + 1 - at);
  CHECK(actions ==
        "0 init\n0 irecv 1 1 8 6\n0 isend 1 1 8 6\n0 wait 1 0 1\n0 wait 0 1 1\n"
        "0 ibcast 8 0 6\n0 wait 0 0 -1000\n0 finalize\n");
  CHECK_THAT(result.notes.front(), Catch::StartsWith("2 blocking collectives of a run whose threads"));
  import_time_independent(folder.path() / "ti/trace.txt", folder.path() / "again", {1e9});
  CHECK(verify(Trace(folder.path() / "again")).ok());
}

TEST_CASE("time-independent: flops become time at the speed that is given, of reductions after them") {
  const Actions read(
      "0 init\n0 compute 2000\n0 compute 500\n0 allreduce 1 300 0\n0 sleep 0.001\n0 finalize\n");
  CHECK(read.call(0, 1).regions[0].length_ns() == 2000 + 500);
  CHECK(read.call(0, 1).regions[1].length_ns() == 0);
  CHECK(read.call(0, 2).regions[0].length_ns() == 300);
  CHECK(read.call(0, 2).regions[1].length_ns() == 1'000'000);
  CHECK(read.operations(0, 1) ==
        std::vector<Operation>{
            Collective{.kind = CollectiveKind::allreduce, .element_bytes = 8, .size_bytes = 8}});
}

TEST_CASE("time-independent: without a speed the work stays in flops, and the trace says so") {
  const TraceFolder folder;
  write_file(folder.path() / "ti", "0 init\n0 compute 2000\n0 barrier\n0 finalize\n");
  import_time_independent(folder.path() / "ti", folder.path() / "flops", {});
  import_time_independent(folder.path() / "ti", folder.path() / "times", {1e9});
  CHECK(work_flops_per_s(Trace(folder.path() / "flops").manifest()) == 1e9);
  CHECK(work_flops_per_s(Trace(folder.path() / "times").manifest()) == std::nullopt);
  CHECK(read_all(Trace(folder.path() / "flops"), 0).at(1).regions[0].length_ns() == 2000);
}

TEST_CASE("time-independent: a receive of any source takes what it takes where no send waits") {
  const Actions read(
      "0 init\n0 recv -333 4 10 6\n0 recv -333 -444 10 6\n0 recv 2 5 10 6\n0 finalize\n"
      "1 init\n1 send 0 4 10 6\n1 finalize\n"
      "2 init\n2 send 0 5 10 6\n2 send 0 5 10 6\n2 finalize\n");
  CHECK(std::get<Post>(read.operations(0, 1)[0]).peer == 1);
  const Post second = std::get<Post>(read.operations(0, 2)[0]);
  CHECK(second.any_source);
  CHECK(second.any_tag);
  CHECK(second.peer == 2);
  CHECK(second.tag == 5);
  CHECK(read.is_consistent());
}

TEST_CASE("time-independent: only the last test of a request completes it, and none where a wait follows") {
  const Actions read(
      "0 init\n0 irecv 0 1 8 6\n0 isend 0 1 8 6\n0 test 0 0 1\n0 test 0 0 1\n0 waitall 1\n"
      "0 irecv 0 2 8 6\n0 test 0 0 2\n0 test 0 0 2\n0 finalize\n");
  CHECK(read.operations(0, 3).empty());
  CHECK(read.operations(0, 4).empty());
  CHECK(read.operations(0, 5) == std::vector<Operation>{Complete{2, 2}});
  CHECK(read.operations(0, 7).empty());
  CHECK(read.operations(0, 8) == std::vector<Operation>{Complete{1, 1}});
}

TEST_CASE("time-independent: a receive of any source that no line completes keeps its message") {
  const Actions read("0 init\n0 irecv -333 4 8 6\n0 finalize\n1 init\n1 send 0 4 8 6\n1 finalize\n");
  CHECK(read.operations(0, 1) ==
        std::vector<Operation>{Post{.kind = TransferKind::receive, .peer = 1, .tag = 4, .size_bytes = 8}});
}

TEST_CASE("time-independent: a wait for what no line has begun waits for nothing, and is counted") {
  const Actions read(
      "0 init\n0 wait 1 0 3\n0 isend 1 3 8 6\n0 waitall 1\n0 wait 0 1 3\n0 wait -666 0 3\n0 finalize\n"
      "1 init\n1 recv 0 3 8 6\n1 finalize\n");
  CHECK(read.import().notes ==
        std::vector<std::string>{"2 actions wait for a request that is not open (a line before may have "
                                 "completed it): they wait for nothing"});
}

TEST_CASE("time-independent: one-sided transfers, which SMPI writes and cannot replay, end at their fence") {
  const Actions read("0 init\n0 Win_fence\n0 Put 0 0 3 0\n0 Get 0 0 5 1\n0 Win_fence\n0 finalize\n");
  CHECK(read.operations(0, 2) ==
        std::vector<Operation>{Post{.kind = TransferKind::put, .peer = 0, .size_bytes = 24}});
  CHECK(read.operations(0, 4) == std::vector<Operation>{Complete{2, 2}, Collective{}});
}

TEST_CASE("time-independent: what a line cannot mean is refused with its number") {
  CHECK_THAT(refusal_of_actions("0 init\n0 fly 3\n"),
             Catch::Contains("actions.txt:2: 'fly' is not an action of SimGrid 3.32"));
  CHECK_THAT(refusal_of_actions("0 init\n0 send 7 0 1\n"),
             Catch::Contains("actions.txt:2: there is no rank 7 (the lines are of 1 rank"));
  CHECK_THAT(refusal_of_actions("0 init\n0 send 0 0\n"),
             Catch::Contains("actions.txt:2: send has too few arguments"));
  CHECK_THAT(refusal_of_actions("0 init\n0 bcast 1e30\n"),
             Catch::Contains("actions.txt:2: '1e30' is no number of elements"));
  CHECK_THAT(refusal_of_actions("0 init\n2000000000 init\n"),
             Catch::Contains("actions.txt:2: is of rank 2000000000"));
  CHECK_THAT(
      refusal_of_actions("0 barrier\n1 bcast 8 1\n"),
      Catch::Contains("actions.txt:2: collective 1 of rank 1 is broadcast of root 1, of rank 0 barrier"));
  CHECK_THAT(refusal_of_actions("/no/such/file\n"),
             Catch::Contains("actions.txt:1: names a file that is not there"));
}

}  // namespace
}  // namespace finegrain
