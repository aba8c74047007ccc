// SPDX-License-Identifier: MIT
// Calls of several threads of a rank, as the one program that is replayed.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "tests/traces/recording.hpp"
#include "traces/call_recorder.hpp"
#include "traces/program_summary.hpp"

namespace finegrain {
namespace {

using namespace test;
using Parts = std::vector<std::string>;

/// The calls of one rank of eight, told in the order in which they end.
class ThreadsTrace {
 public:
  ThreadsTrace() : recorder_(std::in_place, folder_.path(), 0) {
    write_manifest(folder_.path(), manifest_of(8, 1));
  }
  CallRecorder& recorder() { return *recorder_; }
  std::filesystem::path file() const { return folder_.path() / "rank_00000.fgt"; }

  /// @param operations  called with the signature
  template <class Operations>
  void call(std::uint32_t thread, const char* function, std::int64_t start_ns, std::int64_t end_ns,
            Operations operations) {
    signature_.begin(recorder_->define_function(function));
    if (thread != 0) signature_.thread(thread);
    operations(signature_);
    recorder_->call(signature_, start_ns, end_ns);
  }
  void mark(std::uint32_t thread, const char* name, std::int64_t start_ns, std::int64_t end_ns) {
    call(thread, name, start_ns, end_ns, [](CallSignature&) {});
  }

  ProgramSummary summary() {
    REQUIRE(recorder_->finish());
    return summarize_program(Trace(folder_.path()));
  }

  /// The nanoseconds of work before each part, its function, and its operations.
  Parts program() {
    REQUIRE(recorder_->finish());
    const Trace trace(folder_.path());
    Parts parts;
    const auto cursor = trace.program(0);
    while (const Loop* loop = cursor->next()) {
      for (std::int64_t n = 0; n < loop->count; ++n)
        parts.push_back(describe(*loop));
    }
    return parts;
  }

 private:
  static std::string describe(const Loop& loop) {
    std::string text;
    for (std::size_t r = 0; r < loop.body->regions.size(); ++r) {
      const Region& region = loop.body->regions[r];
      const std::string time = loop.regions_s.empty() || loop.regions_s[r] == 0
                                   ? ""
                                   : fmt::format("{} ns", std::llround(loop.regions_s[r] * 1e9));
      if (region.name == regions::compute) {
        text += time.empty() ? "" : time + " ";
        continue;
      }
      text += region.name.text();
      for (const Operation& operation : loop.body->operations_of(region)) {
        text += ", " + finegrain::describe(operation);
        if (const auto* post = std::get_if<Post>(&operation); post != nullptr && post->blocking)
          text += " blocking";
        if (const auto* collective = std::get_if<Collective>(&operation))
          text += collective->posted ? " posted" : "";
        if (const auto* work = std::get_if<Work>(&operation); work != nullptr) text += ", " + time;
      }
    }
    return text;
  }

  TraceFolder folder_;
  std::optional<CallRecorder> recorder_;
  CallSignature signature_;
};

/// A send of 8 bytes.
auto blocking_send(std::int32_t peer) {
  return [=](CallSignature& signature) {
    signature.post({.kind = TransferKind::send, .blocking = true, .peer = peer, .size_bytes = 8});
  };
}
auto blocking_receive(std::int32_t peer) {
  return [=](CallSignature& signature) {
    signature.post({.kind = TransferKind::receive, .blocking = true, .peer = peer, .size_bytes = 8});
  };
}
auto starting(TransferKind kind, std::int32_t peer) {
  return [=](CallSignature& signature) { signature.post({.kind = kind, .peer = peer, .size_bytes = 8}); };
}
auto waiting(std::int64_t age) {
  return [=](CallSignature& signature) { signature.complete(age); };
}
void barrier(CallSignature& signature) {
  signature.collective({});
}

TEST_CASE("threads: a call begins where it began and waits where it ended, around another thread's calls") {
  ThreadsTrace trace;
  trace.mark(0, "MPI_Init", 0, 10);
  trace.call(1, "MPI_Send", 200, 210, blocking_send(2));
  trace.call(1, "MPI_Send", 300, 310, blocking_send(3));
  trace.call(0, "MPI_Recv", 100, 500, blocking_receive(1));
  CHECK(trace.program() == Parts{"MPI_Init", "90 ns MPI_Recv, receive 1 8 B", "MPI_Send, send 2 8 B blocking",
                                 "90 ns MPI_Send, send 3 8 B blocking", "MPI_Recv, complete 1 of 1"});
}

TEST_CASE("threads: calls of one thread after those of another are as they were recorded") {
  ThreadsTrace trace;
  trace.call(0, "MPI_Recv", 0, 10, blocking_receive(1));
  trace.call(1, "MPI_Recv", 20, 30, blocking_receive(2));
  trace.call(1, "MPI_Barrier", 40, 50, barrier);
  CHECK(trace.program() == Parts{"MPI_Recv, receive 1 8 B blocking", "MPI_Recv, receive 2 8 B blocking",
                                 "10 ns MPI_Barrier, barrier"});
}

TEST_CASE("threads: a request is found by the thread that waits for it, whatever was begun in between") {
  ThreadsTrace trace;
  trace.call(0, "MPI_Irecv", 0, 10, starting(TransferKind::receive, 1));
  trace.call(1, "MPI_Isend", 30, 40, starting(TransferKind::send, 2));
  trace.call(1, "MPI_Wait", 50, 60, waiting(2));  // for the Irecv
  trace.call(1, "MPI_Wait", 70, 80, waiting(1));
  trace.call(0, "MPI_Recv", 20, 100, blocking_receive(3));
  const Parts parts = trace.program();
  REQUIRE(parts.size() == 6);
  // Begun: the Irecv, the Recv, the Isend.
  CHECK(parts[1] == "10 ns MPI_Recv, receive 3 8 B");
  CHECK(parts[3] == "10 ns MPI_Wait, complete 1 of 3");
  CHECK(parts[4] == "10 ns MPI_Wait, complete 1 of 1");
  CHECK(parts[5] == "MPI_Recv, complete 1 of 2");
}

TEST_CASE("threads: requests that one call waits for are not next to each other any more") {
  ThreadsTrace trace;
  trace.call(0, "MPI_Irecv", 0, 10, starting(TransferKind::receive, 1));
  trace.call(0, "MPI_Irecv", 30, 40, starting(TransferKind::receive, 2));
  trace.call(0, "MPI_Waitall", 50, 60, [](CallSignature& signature) { signature.complete(2, 2); });
  trace.call(1, "MPI_Recv", 20, 100, blocking_receive(3));
  const Parts parts = trace.program();
  REQUIRE(parts.size() == 5);
  CHECK(parts[3] == "10 ns MPI_Waitall, complete 1 of 3, complete 1 of 1");
  CHECK(parts[4] == "MPI_Recv, complete 1 of 2");
}

TEST_CASE("threads: a collective that other calls overlap is posted, and still the blocking one") {
  ThreadsTrace trace;
  trace.call(1, "MPI_Send", 20, 30, blocking_send(2));
  trace.call(0, "MPI_Barrier", 0, 50, barrier);
  CHECK(trace.program() == Parts{"MPI_Barrier, barrier posted", "MPI_Send, send 2 8 B blocking",
                                 "MPI_Barrier, complete 1 of 1"});
}

TEST_CASE(
    "threads: a broadcast is posted though no call overlaps it, as others may have to begin before its end") {
  ThreadsTrace trace;
  trace.call(0, "MPI_Bcast", 0, 10, [](CallSignature& signature) {
    signature.collective({.kind = CollectiveKind::broadcast, .size_bytes = 8});
  });
  trace.call(1, "MPI_Send", 20, 30, blocking_send(2));
  const Parts parts = trace.program();
  REQUIRE(parts.size() == 3);
  CHECK(parts[0].ends_with("posted"));
  CHECK(parts[1] == "MPI_Bcast, complete 1 of 1");
  CHECK(parts[2] == "MPI_Send, send 2 8 B blocking");
}

TEST_CASE("threads: the time in which at least one thread works counts once") {
  ThreadsTrace trace;
  trace.mark(0, "MPI_Init", 0, 10);
  trace.mark(1, "first", 100, 110);
  trace.mark(1, "second", 400, 410);
  trace.mark(0, "MPI_Finalize", 1'010, 1'020);
  // The main thread works from 10 to 1010, the other one from 110 to 400.
  CHECK(trace.program() == Parts{"MPI_Init", "100 ns first", "300 ns second", "600 ns MPI_Finalize"});
}

TEST_CASE("threads: that a thread's work begins or ends to count is no call, and its work counts") {
  ThreadsTrace trace;
  trace.mark(0, "MPI_Init", 0, 10);
  trace.mark(1, "thread begins", 110, 110);
  trace.mark(1, "MPI_Pcontrol", 210, 220);
  trace.mark(1, "thread ends", 510, 510);
  trace.recorder().waited_for_core(1'000);  // all the time from 10 to 1010
  trace.mark(0, "MPI_Finalize", 1'010, 1'020);
  const ProgramSummary summary = trace.summary();
  CHECK(summary.calls == 3);
  CHECK(summary.functions.size() == 3);
  CHECK(summary.work_s == Approx((510 - 220 + 210 - 110) * 1e-9));
}

TEST_CASE("threads: a thread that waits for another one without a call does not work") {
  ThreadsTrace trace;
  trace.mark(0, "MPI_Init", 0, 10);
  trace.mark(1, "first", 110, 110);
  trace.call(1, "MPI_Recv", 310, 710, blocking_receive(2));
  trace.recorder().waited_for_core(1'000);  // all the time from 10 to 1010
  trace.mark(0, "MPI_Finalize", 1'010, 1'020);
  CHECK(trace.program() ==
        Parts{"MPI_Init", "first", "200 ns MPI_Recv, receive 2 8 B blocking", "MPI_Finalize"});
}

TEST_CASE("threads: work beside a call that waits is done between its beginning and its end") {
  ThreadsTrace trace;
  trace.mark(0, "MPI_Init", 0, 10);
  trace.call(1, "MPI_Recv", 110, 510, blocking_receive(2));
  trace.mark(0, "MPI_Finalize", 1'010, 1'020);
  CHECK(trace.program() == Parts{"MPI_Init", "100 ns MPI_Recv, receive 2 8 B",
                                 "400 ns MPI_Recv, complete 1 of 1", "500 ns MPI_Finalize"});
}

TEST_CASE("threads: a call of which only the time is known takes the part of it in which nobody works") {
  const auto timed = [](CallSignature& signature) { signature.timed(); };
  ThreadsTrace trace;
  trace.call(1, "MPI_Send", 100, 110, blocking_send(2));
  trace.call(1, "MPI_Send", 310, 320, blocking_send(2));
  trace.call(0, "MPI_File_write", 50, 1'000, timed);
  // From 50 to 100 and from 320 to 1000, as the other thread works from 110 to 310.
  CHECK(trace.program().back() == "MPI_File_write, work by its time, 730 ns");
}

TEST_CASE("threads: a killed run's calls are read up to where its file ends") {
  ThreadsTrace trace;
  trace.call(1, "MPI_Recv", 10, 20, blocking_receive(2));
  trace.call(0, "MPI_Recv", 0, 50, blocking_receive(2));
  trace.recorder().flush();
  const std::string file = read_file(trace.file());
  TraceFolder copy;
  Manifest manifest = manifest_of(8, 1);
  manifest.run.problem = {"program", {{"command", "./made_up"}}};
  manifest.complete = false;
  write_manifest(copy.path(), manifest);
  write_file(copy.path() / "rank_00000.fgt", file);
  const Trace killed(copy.path());
  const auto cursor = killed.program(0, KilledRun::ends_early);
  int parts = 0;
  while (cursor->next() != nullptr)
    ++parts;
  CHECK(parts == 3);
}

}  // namespace
}  // namespace finegrain
