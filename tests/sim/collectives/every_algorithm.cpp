// SPDX-License-Identifier: MIT
#include <catch2/catch.hpp>

#include <numeric>

#include "calls_of_all.hpp"
#include "run_together.hpp"
#include "sim/collectives/decisions.hpp"
#include "sim/collectives/layout.hpp"

using namespace finegrain;
using namespace finegrain::collectives;

namespace {

bool is_to_root(CollectiveKind kind) {
  return kind == CollectiveKind::gather || kind == CollectiveKind::gatherv || kind == CollectiveKind::reduce;
}
bool is_from_root(CollectiveKind kind) {
  return kind == CollectiveKind::broadcast || kind == CollectiveKind::scatter ||
         kind == CollectiveKind::scatterv;
}
bool has_root(CollectiveKind kind) {
  return is_to_root(kind) || is_from_root(kind);
}

/// Whether something of rank `from` must have reached rank `to` when the collective is over.
bool must_reach(const std::vector<Call>& calls, int from, int to) {
  const Call& sender = calls[static_cast<std::size_t>(from)];
  const Call& call = calls[static_cast<std::size_t>(to)];
  if (from == to) return true;
  switch (call.kind) {
    case CollectiveKind::barrier:
    case CollectiveKind::allgather:
    case CollectiveKind::alltoall:
    case CollectiveKind::allreduce:
    case CollectiveKind::reduce_scatter_block:
      return true;
    case CollectiveKind::allgatherv:
      return sender.size_bytes > 0;
    case CollectiveKind::reduce_scatter:
      return call.size_bytes > 0;
    case CollectiveKind::alltoallv:
    case CollectiveKind::alltoallw:
      return bytes_from(call, from) > 0;
    case CollectiveKind::broadcast:
    case CollectiveKind::scatter:
      return from == call.root;
    case CollectiveKind::scatterv:
      return from == call.root && call.size_bytes > 0;
    case CollectiveKind::gather:
    case CollectiveKind::reduce:
      return to == call.root;
    case CollectiveKind::gatherv:
      return to == call.root && sender.size_bytes > 0;
    case CollectiveKind::scan:
    case CollectiveKind::exscan:
      return from < to;
    default:
      return from == (to + call.ranks - 1) % call.ranks;
  }
}

/// Bytes that a rank cannot do without.
std::int64_t least_received(const Call& call) {
  const auto others = [&] { return blocks_bytes(call, 0, call.ranks) - block_bytes(call, call.rank); };
  switch (call.kind) {
    case CollectiveKind::barrier:
      return 0;
    case CollectiveKind::allgather:
    case CollectiveKind::allgatherv:
    case CollectiveKind::alltoall:
      return others();
    case CollectiveKind::gather:
    case CollectiveKind::gatherv:
      return call.rank == call.root ? others() : 0;
    case CollectiveKind::reduce:
      return call.rank == call.root ? call.size_bytes : 0;
    case CollectiveKind::alltoallv:
    case CollectiveKind::alltoallw:
      return std::accumulate(call.sizes.begin() + call.ranks, call.sizes.end(), std::int64_t{0}) -
             bytes_from(call, call.rank);
    case CollectiveKind::broadcast:
    case CollectiveKind::scatter:
    case CollectiveKind::scatterv:
      return call.rank == call.root ? 0 : call.size_bytes;
    case CollectiveKind::scan:
    case CollectiveKind::exscan:
      return call.rank == 0 ? 0 : call.size_bytes;
    default:
      return call.size_bytes;
  }
}

void check(const Call& call, const Choice& choice) {
  std::vector<std::vector<std::int64_t>> storage;
  const std::vector<Call> calls = test::calls_of_all(call, storage);
  const test::Outcome outcome = test::run_together(calls, choice);
  INFO(collective_name(call.kind, true)
       << " " << choice.algorithm->name() << ", " << call.ranks << " ranks, root " << call.root << ", "
       << call.size_bytes << " B of " << call.element_bytes << ", segments of " << choice.segment_bytes
       << " B, fan " << choice.fan << ": " << outcome.problem);
  bool holds = outcome.problem.empty();
  for (int to = 0; to < call.ranks; ++to) {
    const auto t = static_cast<std::size_t>(to);
    holds = holds && outcome.received_bytes[t] >= least_received(calls[t]);
    for (int from = 0; from < call.ranks; ++from)
      holds = holds && (outcome.knows[t][static_cast<std::size_t>(from)] || !must_reach(calls, from, to));
  }
  REQUIRE(holds);
}

/// The cases of one kind, with every algorithm, for 2 to 17 ranks.
template <class Visit>
void for_each_case(CollectiveKind kind, const Decisions& decisions, Visit&& visit) {
  for (const std::string_view name : algorithm_names(kind)) {
    if (name == "own_copy") continue;
    for (int ranks = 2; ranks <= 17; ++ranks) {
      Call call{.kind = kind, .ranks = ranks, .element_bytes = 8};
      for (const int root : {0, 1, ranks - 1}) {
        if (root > 0 && !has_root(kind)) continue;
        call.root = root;
        visit(call, Choice{&algorithm(kind, name), 0, 4, &decisions});
      }
    }
  }
}

}  // namespace

TEST_CASE("every algorithm: sends meet receives of equal bytes, nothing deadlocks, data arrives") {
  const Decisions decisions("openmpi-4.1");
  for (int kind = 0; kind < static_cast<int>(collective_kinds); ++kind) {
    for_each_case(static_cast<CollectiveKind>(kind), decisions, [](Call call, const Choice& choice) {
      for (const std::int64_t elements : {1, 3, 16, 1000, 65537}) {
        call.size_bytes = elements * call.element_bytes;
        check(call, choice);
      }
    });
  }
}

TEST_CASE("every algorithm, cut into segments: all data arrives") {
  const Decisions decisions("openmpi-4.1");
  for (int kind = 0; kind < static_cast<int>(collective_kinds); ++kind) {
    for_each_case(static_cast<CollectiveKind>(kind), decisions, [](Call call, Choice choice) {
      for (const std::int64_t segment_bytes : {8, 100, 1024}) {
        choice.segment_bytes = segment_bytes;
        choice.fan = 3;
        call.size_bytes = 1000;
        check(call, choice);
      }
    });
  }
}

TEST_CASE("every algorithm: operations that do not commute are combined as well") {
  const Decisions decisions("openmpi-4.1");
  for (const CollectiveKind kind : {CollectiveKind::reduce, CollectiveKind::allreduce,
                                    CollectiveKind::reduce_scatter, CollectiveKind::reduce_scatter_block}) {
    for_each_case(kind, decisions, [](Call call, const Choice& choice) {
      call.commutative = false;
      call.size_bytes = 800;
      check(call, choice);
    });
  }
}

TEST_CASE("every MPI library's table: each kind is carried out on 2 to 17 ranks and any size") {
  for (const std::string_view mpi : mpi_names()) {
    const Decisions decisions(mpi);
    for (int number = 0; number < 2 * static_cast<int>(collective_kinds); ++number) {
      Call call{
          .kind = static_cast<CollectiveKind>(number / 2), .blocking = number % 2 == 0, .element_bytes = 8};
      for (call.ranks = 2; call.ranks <= 17; ++call.ranks)
        for (const bool commutative : {true, false})
          for (call.size_bytes = 8; call.size_bytes <= 1 << 22; call.size_bytes *= 8) {
            call.commutative = commutative;
            std::vector<std::vector<std::int64_t>> storage;
            check(call, decisions.choose(test::calls_of_all(call, storage).front()));
          }
    }
  }
}

TEST_CASE("an algorithm's rounds are short, however many ranks there are") {
  const Decisions decisions("openmpi-4.1");
  for (int number = 0; number < static_cast<int>(collective_kinds); ++number) {
    const auto kind = static_cast<CollectiveKind>(number);
    if (kind >= CollectiveKind::gatherv && kind != CollectiveKind::alltoall &&
        kind != CollectiveKind::scatter && kind != CollectiveKind::allgather)
      continue;  // without sizes of their own
    for (const std::string_view name : algorithm_names(kind)) {
      const Call call{.kind = kind, .ranks = 1024, .element_bytes = 8, .size_bytes = 8192};
      const Choice choice{&algorithm(kind, name), 0, 4, &decisions};
      const std::int64_t count = rounds(call, choice);
      for (std::int64_t round_number = 0; round_number < count; ++round_number) {
        std::vector<Operation> operations;
        round(round_number, call, choice, operations);
        INFO(collective_name(kind, true) << " " << name << ", round " << round_number);
        REQUIRE(operations.size() <= 4 * 64 + 1);
      }
    }
  }
}
