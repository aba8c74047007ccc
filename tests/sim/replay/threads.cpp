// SPDX-License-Identifier: MIT
// Ranks whose threads call MPI at once.
#include <catch2/catch.hpp>
#include <cstdint>

#include "listed_programs.hpp"
#include "small_platform.hpp"
#include "tests/traces/recording.hpp"
#include "traces/call_recorder.hpp"
#include "traces/trace_reader.hpp"

using namespace finegrain;
using namespace finegrain::replay;

namespace {

constexpr std::int64_t second_ns = 1'000'000'000;

/// A thread's call.
struct ThreadCall {
  std::uint32_t thread;
  double start_s, end_s;
  Operation operation;
};

/// @param calls  a rank's, in the order in which they end
void record(const std::filesystem::path& folder, int rank, const std::vector<ThreadCall>& calls) {
  CallRecorder recorder(folder, rank);
  CallSignature signature;
  const auto ns = [](double seconds) { return static_cast<std::int64_t>(seconds * second_ns); };
  for (const ThreadCall& call : calls) {
    signature.begin(recorder.define_function("MPI"));
    if (call.thread != 0) signature.thread(call.thread);
    if (const auto* post = std::get_if<Post>(&call.operation)) signature.post(*post);
    if (const auto* collective = std::get_if<Collective>(&call.operation)) signature.collective(*collective);
    recorder.call(signature, ns(call.start_s), ns(call.end_s));
  }
  REQUIRE(recorder.finish());
}

/// A blocking message of a megabyte; a send waits for its receive.
Post message(TransferKind kind, int peer, int tag) {
  return {.kind = kind,
          .blocking = true,
          .is_synchronous = kind == TransferKind::send,
          .peer = peer,
          .tag = tag,
          .size_bytes = megabyte};
}

}  // namespace

TEST_CASE("threads: two threads a rank, each of which waits for the other rank's other thread, go on") {
  test::TraceFolder folder;
  write_manifest(folder.path(), test::manifest_of(2, 1));
  constexpr auto send = TransferKind::send, receive = TransferKind::receive;
  // Each main thread sends, and the other thread receives. On both ranks the send ends first: in the order of
  // the ends, both would send before they receive.
  record(folder.path(), 0,
         {{0, 0, 1, message(send, 1, 0)}, {1, 0, 2, message(receive, 1, 1)}, {0, 2.5, 2.75, Collective{}}});
  record(folder.path(), 1,
         {{0, 0, 1, message(send, 0, 1)}, {1, 0, 2, message(receive, 0, 0)}, {0, 2, 2.75, Collective{}}});
  const Trace trace(folder.path());
  SmallPlatform platform(switched(2));
  const ReplayResult result = replay_programs(RecordedPrograms(trace), *platform);
  // A megabyte each way, at once; then the main threads work, for a second and a half on rank 0.
  CHECK(result.total_s == Approx(1 + 1.5));
}

TEST_CASE("threads: a blocking collective that a rank posts meets the blocking one of the other rank") {
  SmallPlatform platform(switched(2));
  const Collective sum{.kind = CollectiveKind::allreduce, .element_bytes = 8, .size_bytes = megabyte};
  Collective posted = sum;
  posted.posted = true;
  // Open MPI's ring, as a blocking one of this size is done: a rank copies its vector (at 12 GB/s), half of
  // it goes each way, is added (two loads, one store), and half of the sum comes back.
  const double alone_s = (2e6 + 3 * 0.5e6) / 12e9 + 0.5 + 0.5;
  for (const double work_s : {0., 1.5, 4.}) {
    CAPTURE(work_s);
    const ListedPrograms programs({{{posted}, {Complete{1, 1}, work_s}}, {{sum}}});
    const ReplayResult result = replay_programs(programs, *platform);
    CHECK(result.ranks[0].finish_s == Approx(std::max(alone_s, work_s)));
    CHECK(result.ranks[1].finish_s == Approx(alone_s));
  }
}

TEST_CASE("threads: where another algorithm makes ranks wait forever in the recorded order, one goes on") {
  SmallPlatform platform(switched(3));
  const Collective posted{
      .kind = CollectiveKind::broadcast, .posted = true, .element_bytes = 8, .size_bytes = megabyte};
  // A thread of rank 2 had the broadcast from rank 0 itself, before another one sent to rank 1. One of rank 1
  // got that message before another one came to the broadcast.
  const ListedPrograms programs({{{posted}, {Complete{1, 1}}},
                                 {{message(TransferKind::receive, 2, 0)}, {posted}, {Complete{1, 1}}},
                                 {{posted}, {Complete{1, 1}}, {message(TransferKind::send, 1, 0)}}});
  // From rank 0 to both others at once, over its one link; and then the message.
  const ReplayResult recorded = replay_programs(programs, *platform, {}, 1, "bcast=linear");
  CHECK(recorded.waits_passed_over == 0);
  // Here rank 2 has it from rank 1.
  const ReplayResult chain = replay_programs(programs, *platform, {}, 1, "bcast=pipeline");
  CHECK(chain.waits_passed_over == 1);
  // The message, then the broadcast from rank 0 to 1, then from 1 to 2.
  CHECK(chain.ranks[1].finish_s == Approx(1 + 1 + 1));
}
