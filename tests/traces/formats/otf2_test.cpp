// SPDX-License-Identifier: MIT
#include <catch2/catch.hpp>
#include <filesystem>

#include "tests/traces/formats/program.hpp"
#include "tests/traces/recording.hpp"
#include "traces/call_recorder.hpp"
#include "traces/formats/format.hpp"
#include "traces/formats/otf2_rank.hpp"
#include "traces/formats/otf2_trace.hpp"
#include "traces/verify.hpp"

namespace finegrain {
namespace {

using namespace test;
using formats::export_otf2;
using formats::import_otf2;
using formats::RankCalls;

/// What is different after it was exported and imported again.
std::string lost_by_otf2(const std::vector<RankCalls>& ranks,
                         const std::vector<formats::Communicator>& communicators = {}) {
  const TraceFolder folder;
  write_program(folder.path() / "trace", ranks, communicators);
  export_otf2(Trace(folder.path() / "trace"), folder.path() / "otf2");
  import_otf2(folder.path() / "otf2/traces.otf2", folder.path() / "again");
  CHECK(verify(Trace(folder.path() / "again")).ok());
  const auto first = read_all(Trace(folder.path() / "trace"), 1);
  const auto again = read_all(Trace(folder.path() / "again"), 1);
  REQUIRE(first.size() == again.size());
  for (std::size_t call = 0; call < first.size(); ++call) {
    CHECK(first[call].body.regions.back().name == again[call].body.regions.back().name);
    CHECK(first[call].regions.back().length_ns() == again[call].regions.back().length_ns());
    CHECK(first[call].time.end_ns - first[0].time.end_ns == again[call].time.end_ns - again[0].time.end_ns);
    CHECK(first[call].thread == again[call].thread);
  }
  return difference(folder.path() / "trace", folder.path() / "again");
}

TEST_CASE("OTF2: what is exported and imported again has the same operations, functions and times") {
  CHECK(lost_by_otf2(small_program()) == "equal");
}

TEST_CASE("OTF2: communicators of some ranks are kept") {
  CHECK(lost_by_otf2(program_of_halves(), halves()) == "equal");
}

TEST_CASE("OTF2: each thread of a rank has a location, so that their calls may overlap") {
  std::vector<RankCalls> ranks(2);
  for (std::int32_t rank = 0; rank < 2; ++rank) {
    RankCalls& calls = ranks[static_cast<std::size_t>(rank)];
    const auto call = [&](std::uint32_t thread, const char* function, std::int64_t start_ns,
                          std::int64_t end_ns, const Post& post) {
      calls.begin(RegionName(function), start_ns);
      calls.calls.back().thread = thread;
      const std::int64_t request = calls.add(post);
      calls.end(end_ns);
      return request;
    };
    const std::int32_t peer = 1 - rank;
    const std::int64_t receive = call(
        1, "MPI_Irecv", 10, 20, {.kind = TransferKind::receive, .peer = peer, .tag = 1, .size_bytes = 8});
    call(2, "MPI_Send", 30, 50,
         {.kind = TransferKind::send, .blocking = true, .peer = peer, .tag = 2, .size_bytes = 16});
    call(0, "MPI_Recv", 15, 60,
         {.kind = TransferKind::receive, .blocking = true, .peer = peer, .tag = 2, .size_bytes = 16});
    call(2, "MPI_Send", 55, 70,
         {.kind = TransferKind::send, .blocking = true, .peer = peer, .tag = 1, .size_bytes = 8});
    // Another thread waits for the request.
    calls.begin(RegionName("MPI_Wait"), 65);
    calls.complete({receive});
    calls.end(80);
  }
  CHECK(lost_by_otf2(ranks) == "equal");
}

TEST_CASE("OTF2: nonblocking collectives, one-sided transfers and locks are kept") {
  std::vector<RankCalls> ranks(2);
  for (std::int32_t rank = 0; rank < 2; ++rank) {
    RankCalls& calls = ranks[static_cast<std::size_t>(rank)];
    calls.begin(RegionName("MPI_Ibcast"), 0);
    const std::int64_t broadcast = calls.add(
        Collective{.kind = CollectiveKind::broadcast, .blocking = false, .root = 1, .size_bytes = 64});
    calls.begin(RegionName("MPI_Wait"), 10);
    calls.complete({broadcast});
    calls.begin(RegionName("MPI_Win_lock"), 20);
    calls.add(Lock{.exclusive = true, .peer = 1 - rank});
    calls.begin(RegionName("MPI_Put"), 30);
    const std::int64_t put = calls.add(Post{.kind = TransferKind::put, .peer = 1 - rank, .size_bytes = 8});
    calls.begin(RegionName("MPI_Accumulate"), 40);
    const std::int64_t sum =
        calls.add(Post{.kind = TransferKind::accumulate, .peer = 1 - rank, .size_bytes = 16});
    calls.begin(RegionName("MPI_Win_unlock"), 50);
    calls.complete({put, sum});
    calls.add(Lock{.acquire = false, .exclusive = false, .peer = 1 - rank});
  }
  CHECK(lost_by_otf2(ranks) == "equal");
}

/// A rank's events of a kind, as they are exported.
std::vector<formats::Otf2Event> exported(const std::vector<RankCalls>& ranks, int rank,
                                         formats::Otf2Event::Kind kind) {
  const TraceFolder folder;
  write_program(folder.path() / "trace", ranks);
  export_otf2(Trace(folder.path() / "trace"), folder.path() / "otf2");
  std::vector<formats::Otf2Event> events =
      formats::Otf2Trace(folder.path() / "otf2/traces.otf2").events(rank);
  std::erase_if(events, [kind](const formats::Otf2Event& event) { return event.kind != kind; });
  return events;
}

TEST_CASE(
    "OTF2: a receive and a collective end when their calls do, and a receive is as long as its message") {
  std::vector<RankCalls> ranks(2);
  const auto call = [&](std::size_t rank, const char* function, std::int64_t start_ns, std::int64_t end_ns,
                        const Operation& operation) {
    ranks[rank].begin(RegionName(function), start_ns);
    const std::int64_t request = ranks[rank].add(operation);
    ranks[rank].end(end_ns);
    return request;
  };
  const auto send = [](std::int64_t size_bytes) {
    return Post{.kind = TransferKind::send, .blocking = true, .peer = 1, .tag = 7, .size_bytes = size_bytes};
  };
  const auto receive = [](bool blocking) {
    return Post{.kind = TransferKind::receive, .blocking = blocking, .peer = 0, .tag = 7, .size_bytes = 1000};
  };
  call(0, "MPI_Send", 300, 310, send(11));
  call(0, "MPI_Send", 320, 330, send(12));
  call(0, "MPI_Send", 340, 350, send(13));
  call(0, "MPI_Barrier", 400, 510, Collective{});
  // The first of the receives takes the first message, although another ends before it.
  const std::int64_t first = call(1, "MPI_Irecv", 0, 5, receive(false));
  call(1, "MPI_Recv", 10, 335, receive(true));
  call(1, "MPI_Recv", 336, 355, receive(true));
  ranks[1].begin(RegionName("MPI_Wait"), 360);
  ranks[1].complete({first});
  ranks[1].end(370);
  call(1, "MPI_Barrier", 500, 511, Collective{});

  using Kind = formats::Otf2Event::Kind;
  const auto received = exported(ranks, 1, Kind::receive);
  REQUIRE(received.size() == 2);
  CHECK(received[0].time == 335);
  CHECK(received[0].size == 12);
  CHECK(received[1].time == 355);
  CHECK(received[1].size == 13);
  const auto waited_for = exported(ranks, 1, Kind::irecv);
  REQUIRE(waited_for.size() == 1);
  CHECK(waited_for[0].time == 370);
  CHECK(waited_for[0].size == 11);
  const auto sent = exported(ranks, 0, Kind::send);
  REQUIRE(sent.size() == 3);
  CHECK(sent[0].time == 300);
  const auto barrier = exported(ranks, 0, Kind::collective);
  REQUIRE(barrier.size() == 1);
  CHECK(barrier[0].time == 510);
}

TEST_CASE("OTF2: a receive that was cancelled takes no message of others") {
  std::vector<RankCalls> ranks(2);
  for (std::int32_t rank = 0; rank < 2; ++rank) {
    RankCalls& calls = ranks[static_cast<std::size_t>(rank)];
    const auto call = [&](const char* function, const Operation& operation) {
      calls.begin(RegionName(function), std::ssize(calls.calls) * 10);
      return calls.add(operation);
    };
    const auto send = [&](std::int32_t tag) {
      return Post{
          .kind = TransferKind::send, .blocking = true, .peer = 1 - rank, .tag = tag, .size_bytes = 8};
    };
    const auto receive = [&](std::int32_t tag) {
      return Post{
          .kind = TransferKind::receive, .blocking = true, .peer = 1 - rank, .tag = tag, .size_bytes = 8};
    };
    // A trace has it as a transfer of nothing, and nothing completes it.
    const Post cancelled{.kind = TransferKind::put, .peer = rank, .size_bytes = 0};
    call("MPI_Irecv", cancelled);
    calls.begin(RegionName("MPI_Cancel"), std::ssize(calls.calls) * 10);
    call(rank == 0 ? "MPI_Send" : "MPI_Recv", rank == 0 ? send(1) : receive(1));
    call("MPI_Irecv", cancelled);
    call(rank == 1 ? "MPI_Send" : "MPI_Recv", rank == 1 ? send(2) : receive(2));
    // What is not cancelled by a call of that name is so at the end.
    if (rank == 0) calls.begin(RegionName("MPI_Finalize"), std::ssize(calls.calls) * 10);
  }
  using Kind = formats::Otf2Event::Kind;
  for (int rank = 0; rank < 2; ++rank) {
    const auto cancelled = exported(ranks, rank, Kind::cancelled);
    REQUIRE(cancelled.size() == 2);
    CHECK(cancelled[0].time == 10);
  }
  const TraceFolder folder;
  write_program(folder.path() / "trace", ranks);
  export_otf2(Trace(folder.path() / "trace"), folder.path() / "otf2");
  const auto read = import_otf2(folder.path() / "otf2/traces.otf2", folder.path() / "again");
  CHECK(read.notes.empty());
  CHECK(verify(Trace(folder.path() / "again")).ok());
  const auto again = read_all(Trace(folder.path() / "again"), 1);
  std::vector<std::string> functions;
  for (const RecordedIteration& call : again)
    functions.emplace_back(call.body.regions.back().name.text());
  CHECK(functions ==
        std::vector<std::string>{"MPI_Irecv", "MPI_Cancel", "MPI_Recv", "MPI_Irecv", "MPI_Send"});
  const Post taken = std::get<Post>(again[2].body.operations.back());
  CHECK(taken.kind == TransferKind::receive);
  CHECK(taken.tag == 1);
}

TEST_CASE("OTF2: what an element of a reduction has is taken from its bytes, and said") {
  std::vector<RankCalls> ranks(2);
  const std::vector<std::int64_t> parts{8, 4};
  for (RankCalls& calls : ranks) {
    calls.begin(RegionName("MPI_Allreduce"), 0);
    for (const std::int64_t size_bytes : {80, 12, 7})
      calls.add(Collective{.kind = CollectiveKind::allreduce, .element_bytes = 2, .size_bytes = size_bytes});
    calls.add(Collective{.kind = CollectiveKind::broadcast, .element_bytes = 2, .size_bytes = 80});
    calls.begin(RegionName("MPI_Reduce_scatter"), 10);
    calls.add(Collective{.kind = CollectiveKind::reduce_scatter, .element_bytes = 1, .size_bytes = 12},
              parts);
  }
  const TraceFolder folder;
  write_program(folder.path() / "trace", ranks);
  const auto made = export_otf2(Trace(folder.path() / "trace"), folder.path() / "otf2");
  CHECK(made.notes ==
        std::vector<std::string>{"6 reductions: the format does not hold the size of an element"});
  const auto read = import_otf2(folder.path() / "otf2/traces.otf2", folder.path() / "again");
  CHECK(read.notes ==
        std::vector<std::string>{"8 reductions: the format does not hold the size of an element: "
                                 "taken as 8, 4 or 1 bytes"});
  std::vector<std::int32_t> element_bytes;
  for (const RecordedIteration& call : read_all(Trace(folder.path() / "again"), 1)) {
    for (const Operation& operation : call.body.operations) {
      if (const auto* collective = std::get_if<Collective>(&operation))
        element_bytes.push_back(collective->element_bytes);
    }
  }
  CHECK(element_bytes == std::vector<std::int32_t>{8, 4, 1, 1, 4});
}

TEST_CASE("OTF2: the time of files stays, and what no function's name says is counted") {
  std::vector<RankCalls> ranks(2);
  for (std::int32_t rank = 0; rank < 2; ++rank) {
    RankCalls& calls = ranks[static_cast<std::size_t>(rank)];
    calls.begin(RegionName("MPI_File_write"), 0);
    calls.add(Work{.is_timed = true});
    calls.end(1000);
    calls.begin(RegionName("MPI_Wait"), 1000);
    calls.add(Work{.is_timed = true});
    calls.begin(RegionName("MPI_Start"), 2000);
    const std::int64_t sent = calls.add(
        Post{.kind = TransferKind::send, .is_synchronous = true, .peer = 1 - rank, .size_bytes = 8});
    calls.begin(RegionName("MPI_Ssend"), 2100);
    calls.add(Post{.kind = TransferKind::send,
                   .blocking = true,
                   .is_synchronous = true,
                   .peer = 1 - rank,
                   .size_bytes = 8});
    calls.begin(RegionName("MPI_Wait"), 2200);
    calls.complete({sent});
  }
  const TraceFolder folder;
  write_program(folder.path() / "trace", ranks);
  const auto made = export_otf2(Trace(folder.path() / "trace"), folder.path() / "otf2");
  CHECK(made.notes ==
        std::vector<std::string>{
            "2 calls of which only the time is known, and the functions' names do not say so: an "
            "import takes them to do nothing",
            "2 synchronous sends of functions whose names do not say so: written as others"});
  import_otf2(folder.path() / "otf2/traces.otf2", folder.path() / "again");
  const auto again = read_all(Trace(folder.path() / "again"), 1);
  const Body& body = again.front().body;
  const auto of_file = body.operations_of(body.regions.back());
  REQUIRE(of_file.size() == 1);
  CHECK(of_file[0] == Operation(Work{.is_timed = true}));
}

TEST_CASE("OTF2: how often a rank waited for a core is said") {
  const TraceFolder folder;
  CallRecorder recorder(folder.path() / "trace", 0);
  CallSignature signature;
  signature.begin(recorder.define_function("MPI_Barrier"));
  signature.collective({});
  recorder.call(signature, 0, 10);
  recorder.waited_for_core(60);
  recorder.call(signature, 110, 120);
  REQUIRE(recorder.finish());
  write_manifest(folder.path() / "trace", manifest_of(1, 1));
  const auto made = export_otf2(Trace(folder.path() / "trace"), folder.path() / "otf2");
  CHECK(made.notes ==
        std::vector<std::string>{"1 stretches of work in which the rank waited for a core: that "
                                 "time counts as work"});
}

TEST_CASE("OTF2: what is refused leaves nothing behind") {
  std::vector<RankCalls> ranks(1);
  ranks[0].begin(RegionName("MPI_Neighbor_alltoall"), 0);
  ranks[0].add(Collective{.kind = CollectiveKind::neighbor_alltoall, .size_bytes = 8});
  const TraceFolder folder;
  write_program(folder.path() / "trace", ranks);
  CHECK_THROWS_WITH(export_otf2(Trace(folder.path() / "trace"), folder.path() / "archives/otf2"),
                    Catch::Contains("OTF2 has no such collective"));
  CHECK(std::filesystem::is_empty(folder.path() / "archives"));
}

TEST_CASE("OTF2: functions of MPI are known by C's and Fortran's names, and no others are") {
  CHECK(formats::mpi_function("MPI_Send") == "MPI_Send");
  CHECK(formats::mpi_function("mpi_send_") == "MPI_Send");
  CHECK(formats::mpi_function("MPI_ALLREDUCE") == "MPI_Allreduce");
  CHECK(formats::mpi_function("PMPI_Wait") == "MPI_Wait");
  CHECK(formats::mpi_function("main").empty());
  CHECK(formats::mpi_function("mpi_").empty());
  CHECK(formats::mpi_function("mpi____").empty());
}

TEST_CASE("OTF2: what is no archive is refused in one line") {
  const TraceFolder folder;
  write_file(folder.path() / "a.otf2", "text");
  CHECK_THROWS_WITH(import_otf2(folder.path() / "a.otf2", folder.path() / "trace"),
                    Catch::Contains("a.otf2: cannot be opened as an OTF2 archive"));
  CHECK_THROWS_WITH(import_otf2(folder.path() / "b.otf2", folder.path() / "trace"),
                    Catch::Contains("b.otf2: is no file"));
  write_program(folder.path() / "trace", small_program());
  CHECK_THROWS_WITH(export_otf2(Trace(folder.path() / "trace"), folder.path() / "trace"),
                    Catch::Contains("exists (an archive is a folder of its own)"));
}

}  // namespace
}  // namespace finegrain
