// SPDX-License-Identifier: MIT
#include "tests/traces/formats/program.hpp"

#include <fmt/format.h>

namespace finegrain::test {
namespace {

using formats::RankCalls;

/// A rank's calls, each 100 ns after the one before, 10 ns long.
class Calls {
 public:
  explicit Calls(RankCalls& calls) : calls_(calls) {}
  RankCalls& begin(const char* function) {
    now_ns_ += 100;
    calls_.begin(RegionName(function), now_ns_);
    calls_.end(now_ns_ + 10);
    now_ns_ += 10;
    return calls_;
  }

 private:
  RankCalls& calls_;
  std::int64_t now_ns_ = 1'000;
};

void add_messages(Calls& calls, std::int32_t rank) {
  const std::int32_t right = (rank + 1) % small_program_ranks;
  const std::int32_t left = (rank + small_program_ranks - 1) % small_program_ranks;
  if (rank == 0) {
    calls.begin("MPI_Send")
        .add(Post{.kind = TransferKind::send, .blocking = true, .peer = 1, .tag = 3, .size_bytes = 80});
  } else if (rank == 1) {
    calls.begin("MPI_Recv")
        .add(Post{.kind = TransferKind::receive, .blocking = true, .peer = 0, .tag = 3, .size_bytes = 80});
  }
  const Post receive{.kind = TransferKind::receive, .peer = left, .tag = 7, .size_bytes = 1000};
  const Post send{.kind = TransferKind::send, .peer = right, .tag = 7, .size_bytes = 1000};
  for (int i = 0; i < 2; ++i) {
    const std::int64_t received = calls.begin("MPI_Irecv").add(receive);
    const std::int64_t sent = calls.begin("MPI_Isend").add(send);
    calls.begin("MPI_Waitall").complete({received, sent});
  }
  const std::int64_t received = calls.begin("MPI_Irecv").add(receive);
  const std::int64_t sent = calls.begin("MPI_Isend").add(send);
  calls.begin("MPI_Wait").complete({sent});
  calls.begin("MPI_Wait").complete({received});
}

void add_collectives(Calls& calls, std::int32_t rank) {
  using K = CollectiveKind;
  const auto add = [&](const char* function, K kind, std::int32_t root, std::int64_t size_bytes,
                       const std::vector<std::int64_t>& sizes = {}) {
    calls.begin(function).add(
        Collective{.kind = kind, .root = root, .element_bytes = 8, .size_bytes = size_bytes}, sizes);
  };
  const std::vector<std::int64_t> sizes{8, 16, 24, 32};
  const std::int64_t own = sizes[static_cast<std::size_t>(rank)];
  const std::vector<std::int64_t> at_root = rank == 2 ? sizes : std::vector<std::int64_t>();
  calls.begin("MPI_Barrier").add(Collective{});
  add("MPI_Bcast", K::broadcast, 1, 800);
  add("MPI_Reduce", K::reduce, 2, 400);
  add("MPI_Allreduce", K::allreduce, 0, 8);
  add("MPI_Scan", K::scan, 0, 16);
  add("MPI_Exscan", K::exscan, 0, 16);
  add("MPI_Gather", K::gather, 3, 40);
  add("MPI_Gatherv", K::gatherv, 2, own, at_root);
  add("MPI_Scatter", K::scatter, 3, 40);
  add("MPI_Scatterv", K::scatterv, 2, own, at_root);
  add("MPI_Allgather", K::allgather, 0, 24);
  add("MPI_Allgatherv", K::allgatherv, 0, own, sizes);
  add("MPI_Alltoall", K::alltoall, 0, 64);
  add("MPI_Alltoallv", K::alltoallv, 0, 4 * own, {own, own, own, own, 8, 16, 24, 32});
  add("MPI_Reduce_scatter", K::reduce_scatter, 0, 80, sizes);
}

/// A rank's operations in one body: completions one by one, so that it does not matter in which call they
/// were.
Body flat(const Trace& trace, int rank) {
  Body body;
  body.begin_region(RegionName("all"));
  Trace::RankReader reader = trace.rank(rank);
  while (const auto call = reader.next()) {
    for (const Operation& operation : call->body.operations) {
      if (std::holds_alternative<Work>(operation)) continue;
      if (const auto* complete = std::get_if<Complete>(&operation)) {
        for (std::int64_t i = 0; i < complete->count; ++i)
          body.add(Complete{complete->oldest - i, 1});
        continue;
      }
      Operation added = operation;
      if (auto* collective = std::get_if<Collective>(&added)) {
        const auto sizes = std::span(call->body.sizes)
                               .subspan(static_cast<std::size_t>(collective->first_size),
                                        static_cast<std::size_t>(collective->size_count));
        collective->first_size = static_cast<std::int32_t>(body.sizes.size());
        body.sizes.insert(body.sizes.end(), sizes.begin(), sizes.end());
      }
      body.add(added);
    }
  }
  return body;
}

Schedule flat(const std::filesystem::path& folder) {
  const Trace trace(folder);
  Schedule schedule{trace.manifest().run, {}};
  for (int rank = 0; rank < schedule.run.ranks; ++rank)
    schedule.ranks.push_back(flat(trace, rank));
  return schedule;
}

}  // namespace

std::vector<RankCalls> small_program() {
  std::vector<RankCalls> ranks(small_program_ranks);
  for (std::int32_t rank = 0; rank < small_program_ranks; ++rank) {
    Calls calls(ranks[static_cast<std::size_t>(rank)]);
    calls.begin("MPI_Init");
    add_messages(calls, rank);
    add_collectives(calls, rank);
    calls.begin("MPI_Finalize");
  }
  return ranks;
}

std::vector<formats::Communicator> halves() {
  return {{{0, 2}}, {{1, 3}}};
}

std::vector<RankCalls> program_of_halves() {
  std::vector<RankCalls> ranks(small_program_ranks);
  for (std::int32_t rank = 0; rank < small_program_ranks; ++rank) {
    Calls calls(ranks[static_cast<std::size_t>(rank)]);
    calls.begin("MPI_Init");
    const bool sends = rank < 2;
    const std::int32_t communicator = rank % 2 + 1;
    calls.begin(sends ? "MPI_Send" : "MPI_Recv")
        .add(Post{.kind = sends ? TransferKind::send : TransferKind::receive,
                  .blocking = true,
                  .peer = sends ? rank + 2 : rank - 2,
                  .tag = 5,
                  .communicator = communicator,
                  .size_bytes = 48});
    calls.begin("MPI_Bcast")
        .add(Collective{
            .kind = CollectiveKind::broadcast, .communicator = communicator, .root = 1, .size_bytes = 100});
    calls.begin("MPI_Finalize");
  }
  return ranks;
}

std::vector<RankCalls> program_of_threads() {
  std::vector<RankCalls> ranks(2);
  for (std::int32_t rank = 0; rank < 2; ++rank) {
    RankCalls& calls = ranks[static_cast<std::size_t>(rank)];
    calls.begin(RegionName("MPI_Recv"), 10);
    calls.add(
        Post{.kind = TransferKind::receive, .blocking = true, .peer = 1 - rank, .tag = 1, .size_bytes = 8});
    calls.end(50);
    calls.begin(RegionName("MPI_Send"), 20);
    calls.calls.back().thread = 1;
    calls.add(
        Post{.kind = TransferKind::send, .blocking = true, .peer = 1 - rank, .tag = 1, .size_bytes = 8});
    calls.end(60);
  }
  return ranks;
}

void write_program(const std::filesystem::path& folder, const std::vector<RankCalls>& ranks,
                   const std::vector<formats::Communicator>& communicators) {
  formats::ImportedTrace trace(folder, static_cast<int>(ranks.size()), communicators);
  for (std::size_t rank = 0; rank < ranks.size(); ++rank)
    trace.write(static_cast<int>(rank), ranks[rank]);
  trace.finish({"a small program", {}});
}

std::string difference(const std::filesystem::path& first, const std::filesystem::path& second) {
  const Schedule one = flat(first);
  const Schedule other = flat(second);
  const TraceDiff found = diff(SchedulePrograms(one), SchedulePrograms(other));
  if (found.equal()) {
    // What diff() does not compare.
    for (std::size_t rank = 0; rank < one.ranks.size(); ++rank) {
      if (one.ranks[rank].sizes != other.ranks[rank].sizes)
        return fmt::format("rank {}: sizes of collectives", rank);
    }
    return "equal";
  }
  const Difference& difference = found.differences.front();
  return fmt::format("rank {}, operation {}: {} is {} and {}", difference.rank,
                     difference.position.value_or(-1), difference.aspect, difference.first,
                     difference.second);
}

}  // namespace finegrain::test
