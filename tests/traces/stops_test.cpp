// SPDX-License-Identifier: MIT
#include "traces/stops.hpp"

#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <fstream>
#include <string>

#include "tests/traces/recording.hpp"
#include "traces/call_recorder.hpp"
#include "traces/rank_file.hpp"
#include "traces/verify.hpp"

namespace finegrain {
namespace {

using namespace test;

/// A program on two ranks, of which each has called MPI_Init, up to 1 s, and MPI_Send, up to 3 s.
class Program {
 public:
  Program() : ranks_{CallRecorder(folder_.path(), 0), CallRecorder(folder_.path(), 1)} {
    for (CallRecorder& rank : ranks_) {
      call(rank, "MPI_Init", 1);
      call(rank, "MPI_Send", 3);
      rank.flush();
    }
  }
  CallRecorder& rank(std::size_t rank) { return ranks_[rank]; }
  static void call(CallRecorder& rank, const char* function, std::int64_t end_s) {
    CallSignature signature;
    signature.begin(rank.define_function(function));
    rank.call(signature, end_s * 1'000'000'000, end_s * 1'000'000'000);
  }
  /// @param finalized  all ranks have come to MPI_Finalize
  /// @param complete  what the manifest says
  Trace read(bool finalized, bool complete) {
    Manifest manifest = manifest_of(2, 1);
    manifest.run.problem = {"program", {{"command", "./made_up"}}};
    manifest.offsets_at_start.assign(2, {});
    manifest.offsets_at_end.assign(finalized ? 2 : 0, {});
    manifest.complete = complete;
    write_manifest(folder_.path(), manifest);
    return Trace(folder_.path());
  }
  std::filesystem::path path() const { return folder_.path(); }
  std::filesystem::path file(int rank) const { return folder_.path() / rank_file_name(rank); }

 private:
  TraceFolder folder_;
  CallRecorder ranks_[2];
};

int loops(const Trace& trace, int rank) {
  const auto cursor = trace.program(rank, KilledRun::ends_early);
  int count = 0;
  while (cursor->next() != nullptr)
    ++count;
  return count;
}

TEST_CASE("the call that a rank was in when its run was killed is told, with when it began") {
  Program program;
  program.rank(1).note_open_call({"MPI_Recv", 3'500'000'000, 0, {}});
  const Trace trace = program.read(false, false);
  CHECK(describe(find_stops(trace, program.path())) ==
        "rank 1 in MPI_Recv since 2.500 s; rank 0 after MPI_Send at 2.000 s");
  CHECK(loops(trace, 1) == 2);
}

TEST_CASE("the call that a rank was in is told with its place, if that was recorded") {
  Program program;
  program.rank(1).note_open_call({"MPI_Recv", 3'500'000'000, 0, {"/home/me/a halo", "00ff", 0x1a2f}});
  const Trace trace = program.read(false, false);
  const NamePlace name_place = [](std::span<const CallFrame> frames) {
    return fmt::format("{} {} {:x} {}", frames.size(), frames[0].object, frames[0].address,
                       frames[0].build_id);
  };
  CHECK(describe(find_stops(trace, program.path(), name_place)) ==
        "rank 1 in MPI_Recv 1 /home/me/a halo 1a2f 00ff since 2.500 s; rank 0 after MPI_Send at 2.000 s");
  CHECK(describe(find_stops(trace, program.path())) ==
        "rank 1 in MPI_Recv since 2.500 s; rank 0 after MPI_Send at 2.000 s");
}

TEST_CASE("a rank of which nothing is in its file is not said to have called nothing") {
  const TraceFolder folder;
  CallRecorder ranks[3] = {{folder.path(), 0}, {folder.path(), 1}, {folder.path(), 2}};
  for (CallRecorder& rank : ranks)
    Program::call(rank, "MPI_Init", 1);  // which is still in memory
  Program::call(ranks[1], "MPI_Abort", 2);
  ranks[1].flush();
  Manifest manifest = manifest_of(3, 1);
  manifest.run.problem = {"program", {{"command", "./made_up"}}};
  manifest.offsets_at_start.assign(3, {});
  manifest.offsets_at_end.clear();
  manifest.complete = false;
  write_manifest(folder.path(), manifest);
  CHECK(describe(find_stops(Trace(folder.path()), folder.path())) ==
        "nothing of ranks 0,2 was kept; rank 1 after MPI_Abort at 1.000 s");
}

TEST_CASE("a call that a rank was in counts no more once others follow it in the file") {
  Program program;
  for (std::size_t rank = 0; rank < 2; ++rank)
    program.rank(rank).note_open_call({"MPI_Recv", 3'500'000'000, 0, {}});
  Program::call(program.rank(0), "MPI_Recv", 5);
  program.rank(0).flush();
  program.rank(0).note_open_call({"MPI_Test", 6'000'000'000, 12, {}});
  CHECK(program.rank(1).finish());
  CHECK(describe(find_stops(program.read(false, false), program.path())) ==
        "rank 0 in MPI_Test since 5.000 s (12 calls that found nothing)");
}

TEST_CASE("a damaged name of the call that a rank was in is an error") {
  Program program;
  const auto before = std::filesystem::file_size(program.file(0));
  program.rank(0).note_open_call({"MPI_Recv", 3'500'000'000, 0, {}});
  const Trace trace = program.read(false, false);
  std::fstream file(program.file(0), std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(static_cast<std::streamoff>(before + chunk_header_bytes + 12));
  file.put('\x7f');
  file.close();
  const Verification found = verify(trace);
  CHECK(found.ranks[0].state == FileState::damaged);
  CHECK(found.ranks[1].state == FileState::unfinished);
}

TEST_CASE("a program's trace is complete if all ranks came to MPI_Finalize and ended their files") {
  Program program;
  CHECK(program.rank(0).finish());
  CHECK_FALSE(program.read(true, false).manifest().complete);
  CHECK(program.rank(1).finish());
  CHECK(program.read(true, false).manifest().complete);
  CHECK_FALSE(program.read(false, false).manifest().complete);
  CHECK(find_stops(program.read(true, false), program.path()).empty());
}

TEST_CASE(
    "a trace that says that it is complete, though a rank was killed later, is read as a killed run's") {
  Program program;
  CHECK(program.rank(0).finish());
  const Trace trace = program.read(true, true);
  CHECK(loops(trace, 0) == 2);
  CHECK(loops(trace, 1) == 2);
  const auto whole = trace.program(0, KilledRun::ends_early);
  while (whole->next() != nullptr)
    continue;
  CHECK_FALSE(whole->ends_early());
  const auto killed = trace.program(1, KilledRun::ends_early);
  while (killed->next() != nullptr)
    continue;
  CHECK(killed->ends_early());
}

TEST_CASE("calls in memory are flushed if the oldest one is older than asked for") {
  Program program;
  const auto before = std::filesystem::file_size(program.file(0));
  Program::call(program.rank(0), "MPI_Recv", 5);
  program.rank(0).flush_older_than(4'000'000'000);
  CHECK(std::filesystem::file_size(program.file(0)) == before);
  program.rank(0).flush_older_than(6'000'000'000);
  CHECK(std::filesystem::file_size(program.file(0)) > before);
}

}  // namespace
}  // namespace finegrain
