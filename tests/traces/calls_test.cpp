// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "tests/traces/recording.hpp"
#include "traces/call_recorder.hpp"
#include "traces/program_summary.hpp"
#include "traces/rank_file.hpp"

namespace finegrain {
namespace {

using namespace test;

const std::vector<std::int32_t> odd_ranks{1, 3, 5};

/// A trace of one rank's calls, the manifest being that of a run on eight.
class CallsTrace {
 public:
  explicit CallsTrace(std::int64_t resolution_ns = 1)
      : recorder_(std::in_place, folder_.path(), 0, resolution_ns) {
    write_manifest(folder_.path(), manifest_of(8, 1));
  }
  CallRecorder& recorder() { return *recorder_; }
  CallSignature& begin(const char* function) {
    signature_.begin(recorder_->define_function(function));
    return signature_;
  }
  /// The call takes 10 ns, 90 ns after the one before.
  void end() {
    recorder_->call(signature_, now_ns_ + 90, now_ns_ + 100);
    now_ns_ += 100;
  }
  RankRecording read() {
    REQUIRE(recorder_->finish());
    return read_all(Trace(folder_.path()), 0);
  }
  std::filesystem::path folder() const { return folder_.path(); }
  std::filesystem::path file() const { return folder_.path() / "rank_00000.fgt"; }

 private:
  TraceFolder folder_;
  std::optional<CallRecorder> recorder_;
  CallSignature signature_;
  std::int64_t now_ns_ = 1'000;
};

/// The operations of the call's own region, after that of the program's work.
std::vector<Operation> operations(const RecordedIteration& call) {
  REQUIRE(call.body.regions.size() == 2);
  REQUIRE(call.body.regions[0].name == regions::compute);
  const auto own = call.body.operations_of(call.body.regions[1]);
  return {own.begin(), own.end()};
}

TEST_CASE("a call is read back as the work before it and its own region, with their times") {
  CallsTrace trace;
  const Post send{.kind = TransferKind::send,
                  .blocking = true,
                  .is_buffered = true,
                  .peer = 3,
                  .tag = 7,
                  .size_bytes = 80};
  trace.begin("MPI_Init");
  trace.end();
  trace.begin("MPI_Send").post(send);
  trace.end();
  const RankRecording read = trace.read();
  REQUIRE(read.size() == 2);
  CHECK(read[1].body.regions[1].name == RegionName("MPI_Send"));
  CHECK(operations(read[1]) == std::vector<Operation>{send});
  CHECK(read[1].regions == std::vector<Interval>{{1'100, 1'190}, {1'190, 1'200}});
}

TEST_CASE("a receive of any source gets the rank and the tag that it took, once it is complete") {
  CallsTrace trace;
  const Post any{
      .kind = TransferKind::receive, .any_source = true, .any_tag = true, .peer = -1, .size_bytes = 64};
  trace.begin("MPI_Irecv").post(any);
  trace.end();
  trace.begin("MPI_Irecv").post(any);
  trace.end();
  trace.begin("MPI_Wait").bind(1, 5, 11);  // the newest
  trace.end();
  trace.begin("MPI_Wait").bind(2, 4, 12);
  trace.end();
  const RankRecording read = trace.read();
  REQUIRE(read.size() == 4);
  Post first = any, second = any;
  first.peer = 4, first.tag = 12;
  second.peer = 5, second.tag = 11;
  CHECK(operations(read[0]) == std::vector<Operation>{first});
  CHECK(operations(read[1]) == std::vector<Operation>{second});
}

TEST_CASE("a blocking receive of any source gets what its own call says") {
  CallsTrace trace;
  Post any{.kind = TransferKind::receive, .blocking = true, .any_source = true, .peer = -1, .size_bytes = 64};
  CallSignature& signature = trace.begin("MPI_Recv");
  signature.post(any);
  signature.bind(0, 2, 0);
  trace.end();
  any.peer = 2;
  CHECK(operations(trace.read().at(0)) == std::vector<Operation>{any});
}

TEST_CASE("a receive of any source that was cancelled moves nothing, but its request counts") {
  CallsTrace trace;
  trace.begin("MPI_Irecv")
      .post({.kind = TransferKind::receive, .any_source = true, .peer = -1, .size_bytes = 64});
  trace.end();
  trace.begin("MPI_Wait").cancel(1);
  trace.end();
  const RankRecording read = trace.read();
  CHECK(operations(read.at(0)) ==
        std::vector<Operation>{Post{.kind = TransferKind::put, .peer = 0, .size_bytes = 0, .repeat = 0}});
}

TEST_CASE("a receive of one source that was cancelled moves nothing, however many calls later") {
  CallsTrace trace;
  const Post receive{.kind = TransferKind::receive, .peer = 3, .size_bytes = 64};
  for (int n = 0; n < 3; ++n) {
    trace.begin("MPI_Irecv").post(receive);
    trace.end();
  }
  trace.recorder().flush();
  trace.begin("MPI_Cancel");
  trace.end();
  trace.begin("MPI_Wait").cancel(2);
  trace.end();
  const RankRecording read = trace.read();
  const Post nothing{.kind = TransferKind::put, .peer = 0, .size_bytes = 0, .repeat = 0};
  CHECK(operations(read.at(0)) == std::vector<Operation>{receive});
  CHECK(operations(read.at(1)) == std::vector<Operation>{nothing});
  CHECK(operations(read.at(2)) == std::vector<Operation>{receive});
}

TEST_CASE("of receives that one call posts only the cancelled one moves nothing") {
  CallsTrace trace;
  const Post receive{.kind = TransferKind::receive, .peer = 3, .size_bytes = 64};
  for (int n = 0; n < 2; ++n) {
    CallSignature& start = trace.begin("MPI_Startall");
    start.post(receive);
    start.post(receive);
    trace.end();
    trace.begin("MPI_Wait").cancel(n == 0 ? 1 : 2);
    trace.end();
  }
  const RankRecording read = trace.read();
  const Post nothing{.kind = TransferKind::put, .peer = 0, .size_bytes = 0, .repeat = 0};
  CHECK(operations(read.at(0)) == std::vector<Operation>{receive, nothing});
  CHECK(operations(read.at(2)) == std::vector<Operation>{nothing, receive});
}

TEST_CASE("what a killed program never completed is read, and then where the file ends") {
  CallsTrace trace;
  trace.begin("MPI_Irecv")
      .post({.kind = TransferKind::receive, .any_source = true, .peer = -1, .size_bytes = 64});
  trace.end();
  trace.recorder().flush();
  RankRecording read;
  const std::string error = error_of(Trace(trace.folder()), 0, read);
  CHECK(read.size() == 1);
  CHECK_THAT(error, Catch::Contains("the end mark is missing after 1 iteration"));
}

TEST_CASE("sizes, communicator and flags of a collective are read back") {
  CallsTrace trace;
  const std::int32_t odd = trace.recorder().define_communicator(0xfeed, odd_ranks);
  const std::vector<std::int64_t> sizes{8, 0, 4'000'000'000};
  Collective gatherv{.kind = CollectiveKind::gatherv,
                     .blocking = false,
                     .commutative = false,
                     .communicator = odd,
                     .root = 2,
                     .element_bytes = 8,
                     .size_bytes = 24};
  trace.begin("MPI_Igatherv").collective(gatherv, sizes);
  trace.end();
  REQUIRE(trace.recorder().finish());
  const Trace recorded(trace.folder());
  const auto cursor = recorded.program(0);
  const Loop* loop = cursor->next();
  REQUIRE(loop != nullptr);
  gatherv.size_count = 3;
  CHECK(loop->body->operations.at(1) == Operation(gatherv));
  CHECK(loop->body->sizes == sizes);
  CHECK(loop->regions_s.front() == Approx(0));
  const auto ranks = recorded.communicator(gatherv.communicator);
  CHECK(std::vector<std::int32_t>(ranks.begin(), ranks.end()) == odd_ranks);
}

TEST_CASE("communicators of one identity have one number on all ranks, whatever each rank calls them") {
  TraceFolder folder;
  write_manifest(folder.path(), manifest_of(2, 1));
  const std::vector<std::int32_t> both{0, 1};
  for (int rank = 0; rank < 2; ++rank) {
    CallRecorder recorder(folder.path(), rank);
    CallSignature signature;
    if (rank == 0) recorder.define_communicator(1, std::vector<std::int32_t>{0});
    const std::int32_t shared = recorder.define_communicator(2, both);
    CHECK(shared == (rank == 0 ? 2 : 1));
    signature.begin(recorder.define_function("MPI_Barrier"));
    signature.collective({.communicator = shared});
    recorder.call(signature, 1, 2);
    REQUIRE(recorder.finish());
  }
  const Trace trace(folder.path());
  CHECK(read_all(trace, 0).at(0).body == read_all(trace, 1).at(0).body);
}

TEST_CASE("calls that are alike are read one by one, each with the time of its own work") {
  CallsTrace trace;
  CallSignature& signature = trace.begin("MPI_Barrier");
  signature.collective({});
  trace.recorder().call(signature, 0, 10);
  trace.recorder().call(signature, 110, 120);  // 100 ns of work
  trace.recorder().call(signature, 320, 330);  // 200 ns
  REQUIRE(trace.recorder().finish());
  const Trace recorded(trace.folder());
  const auto cursor = recorded.program(0);
  for (const double work_s : {0., 100e-9, 200e-9}) {
    const Loop* loop = cursor->next();
    REQUIRE(loop != nullptr);
    CHECK(loop->count == 1);
    CHECK(loop->regions_s[0] == Approx(work_s));
  }
  CHECK(cursor->next() == nullptr);
}

TEST_CASE("work that waited for a core is shorter by that time, when it is replayed") {
  CallsTrace trace;
  CallSignature& signature = trace.begin("MPI_Barrier");
  signature.collective({});
  trace.recorder().call(signature, 0, 10);
  trace.recorder().waited_for_core(60);
  trace.recorder().call(signature, 110, 120);  // 100 ns of work, 60 of them without a core
  REQUIRE(trace.recorder().finish());
  const Trace recorded(trace.folder());
  const auto cursor = recorded.program(0);
  CHECK(cursor->next()->regions_s[0] == 0);
  CHECK(cursor->next()->regions_s[0] == Approx(100e-9 - 60e-9));
  const RankRecording read = read_all(recorded, 0);
  CHECK(read.at(0).lost_ns == 0);
  CHECK(read.at(1).lost_ns == 60);
  const ProgramSummary summary = summarize_program(recorded);
  CHECK(summary.work_s == Approx(100e-9 - 60e-9));
  CHECK(summary.lost_s == Approx(60e-9));
}

/// A program that repeats eight calls with noisy times.
TEST_CASE("calls are named by function, or by function and place") {
  CallsTrace trace;
  const std::uint32_t file = trace.recorder().define_function("@00ff /home/me/a halo");
  const std::uint32_t here = trace.recorder().define_function(fmt::format("@@{0}+1a2f {0}+10", file));
  const std::uint32_t there = trace.recorder().define_function(fmt::format("@@{}+1b00 ?", file));
  for (const std::uint32_t place : {here, there, here}) {
    CallSignature& signature = trace.begin("MPI_Send");
    signature.place(place);
    signature.post({.kind = TransferKind::send, .blocking = true, .peer = 1, .size_bytes = 8});
    trace.end();
  }
  const RankRecording by_function = trace.read();
  REQUIRE(by_function.size() == 3);
  for (const RecordedIteration& call : by_function) {
    CHECK(call.body.regions.back().name.text() == "MPI_Send");
    CHECK(call.body.regions == by_function[0].body.regions);
  }

  Trace read(trace.folder());
  std::vector<std::vector<CallFrame>> chains;
  read.name_places([&](std::span<const CallFrame> frames) {
    chains.emplace_back(frames.begin(), frames.end());
    return fmt::format("at {:x}", frames[0].address);
  });
  const RankRecording by_place = read_all(read, 0);
  CHECK(by_place[0].body.regions.back().name.text() == "MPI_Send at 1a2f");
  CHECK(by_place[1].body.regions.back().name.text() == "MPI_Send at 1b00");
  CHECK(by_place[2].body.regions == by_place[0].body.regions);
  REQUIRE(chains.size() >= 2);
  CHECK(chains[0].size() == 2);
  CHECK(chains[0][0].object == "/home/me/a halo");
  CHECK(chains[0][0].build_id == "00ff");
  CHECK(chains[0][1].address == 0x10);
  CHECK(chains[1][1].object.empty());
}

TEST_CASE("places of calls that are damaged are refused") {
  const auto read_with = [](const std::string& name, bool is_place) {
    CallsTrace trace;
    const std::uint32_t number = trace.recorder().define_function(name);
    CallSignature& signature = trace.begin("MPI_Barrier");
    if (is_place) signature.place(number);
    signature.timed();
    trace.end();
    REQUIRE(trace.recorder().finish());
    RankRecording read;
    return error_of(Trace(trace.folder()), 0, read);
  };
  CHECK_THAT(read_with("@@7+10", true), Catch::Contains("a place is of a file that was not defined"));
  CHECK_THAT(read_with("@@x", false), Catch::Contains("a place is of a file that was not defined"));
  CHECK_THAT(read_with("@00ff /home/me/halo", true),
             Catch::Contains("a call is of a place that was not defined"));
  CHECK_THAT(read_with("MPI_Send", true), Catch::Contains("a call is of a place that was not defined"));
}

std::uintmax_t bytes_of_a_repeating_program(std::int64_t resolution_ns, int repeats) {
  std::mt19937_64 random(5);
  CallsTrace trace(resolution_ns);
  std::int64_t now_ns = 0;
  CallSignature signature;
  for (int i = 0; i < repeats; ++i) {
    for (int c = 0; c < 8; ++c) {
      signature.begin(trace.recorder().define_function(c % 2 == 0 ? "MPI_Isend" : "MPI_Wait"));
      if (c % 2 == 0) {
        signature.post({.kind = TransferKind::send, .peer = c, .size_bytes = 1'000 * c});
      } else {
        signature.complete(1);
      }
      const auto gap_ns = static_cast<std::int64_t>(200 + random() % 100);
      const auto length_ns = static_cast<std::int64_t>(400 + random() % 200);
      trace.recorder().call(signature, now_ns + gap_ns, now_ns + gap_ns + length_ns);
      now_ns += gap_ns + length_ns;
    }
  }
  REQUIRE(trace.recorder().finish());
  return std::filesystem::file_size(trace.file());
}

TEST_CASE("calls that repeat take less than 0.05 bytes each without times, and less than 6 with them") {
  constexpr int repeats = 20'000;
  CHECK(static_cast<double>(bytes_of_a_repeating_program(0, repeats)) < 0.05 * 8 * repeats);
  CHECK(static_cast<double>(bytes_of_a_repeating_program(1, repeats)) < 6. * 8 * repeats);
}

TEST_CASE("more signatures than are kept in memory are read back") {
  CallsTrace trace;
  std::int64_t now_ns = 0;
  constexpr int calls = 120'000;
  for (int c = 0; c < calls; ++c) {
    CallSignature& signature = trace.begin("MPI_Isend");
    signature.post({.kind = TransferKind::send, .peer = 1, .tag = c, .size_bytes = c});
    trace.recorder().call(signature, now_ns, now_ns + 10);
    now_ns += 20'000;
  }
  const RankRecording read = trace.read();
  REQUIRE(read.size() == calls);
  for (std::size_t c = 0; c < calls; c += 999)
    REQUIRE(std::get<Post>(operations(read[c])[0]).tag == static_cast<int>(c));
}

TEST_CASE("a bit changed anywhere in a file of calls is an error, and no wrong call is handed out") {
  CallsTrace trace;
  for (int i = 0; i < 3; ++i) {
    trace.begin("MPI_Irecv")
        .post({.kind = TransferKind::receive, .any_source = true, .peer = -1, .size_bytes = 64});
    trace.end();
    CallSignature& wait = trace.begin("MPI_Wait");
    wait.bind(1, i, 0);
    wait.complete(1);
    trace.end();
  }
  const RankRecording whole = trace.read();
  const std::string bytes = read_file(trace.file());
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    for (int bit = 0; bit < 8; ++bit) {
      CAPTURE(at, bit);
      std::string changed = bytes;
      changed[at] = static_cast<char>(changed[at] ^ (1 << bit));
      write_file(trace.file(), changed);
      RankRecording read;
      REQUIRE_THAT(error_of(Trace(trace.folder()), 0, read),
                   Catch::StartsWith(trace.file().string() + ": byte "));
      REQUIRE((read.size() <= whole.size() && std::equal(read.begin(), read.end(), whole.begin())));
    }
  }
}

TEST_CASE("calls: functions of the program's own that MPI calls are said to be in no simulated time") {
  Manifest manifest;
  CHECK(left_out_notes({}, manifest).empty());
  manifest.environment["calls that are only counted"] = "MPI_Comm_rank 2, MPI_Comm_size 2";
  CHECK(left_out_notes({}, manifest).empty());
  manifest.environment["calls that are only counted"] = "MPI_Comm_rank 2, MPI_Op_create 2";
  const std::vector<std::string> notes = left_out_notes({}, manifest);
  REQUIRE(notes.size() == 1);
  CHECK_THAT(notes.front(), Catch::Contains("MPI calls (MPI_Op_create): what they compute"));
}

TEST_CASE("calls: that a rank asks another one for the same many times in a row is said") {
  CallsTrace trace;
  const auto ask = [&](std::int32_t peer) {
    trace.begin("MPI_Fetch_and_op").post({.kind = TransferKind::fetch, .peer = peer, .size_bytes = 8});
    trace.end();
    trace.begin("MPI_Win_flush").complete(1, 1);
    trace.end();
  };
  for (int i = 0; i < 99; ++i)
    ask(3);
  ask(4);
  for (int i = 0; i < 100; ++i)
    ask(3);
  REQUIRE(trace.recorder().finish());
  const ProgramSummary summary = summarize_program(Trace(trace.folder()));
  CHECK(summary.asked.times == 100);
  const std::vector<std::string> notes = left_out_notes(summary, {});
  REQUIRE(notes.size() == 1);
  CHECK_THAT(notes.front(),
             Catch::Contains("rank 0 asks rank 3 100 times in a row for 8 bytes (MPI_Fetch_and_op)"));
}

TEST_CASE("calls: waits for what other ranks write to shared memory are said to be work") {
  ProgramSummary summary;
  summary.functions.push_back({.name = RegionName("MPI_Win_allocate"), .ranks_s = {}});
  CHECK(left_out_notes(summary, {}).empty());
  summary.functions.push_back({.name = RegionName("MPI_Win_allocate_shared"), .ranks_s = {}});
  const std::vector<std::string> notes = left_out_notes(summary, {});
  REQUIRE(notes.size() == 1);
  CHECK_THAT(notes.front(), Catch::Contains("ranks share memory (MPI_Win_allocate_shared)"));
}

}  // namespace
}  // namespace finegrain
