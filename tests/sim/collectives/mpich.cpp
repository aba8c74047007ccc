// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "sim/collectives/decisions.hpp"

using namespace finegrain;
using namespace finegrain::collectives;

namespace {

const Decisions& mpich() {
  static const Decisions decisions("mpich-4.0");
  return decisions;
}

std::string name_of(const Call& call) {
  return std::string(mpich().choose(call).algorithm->name());
}

Call vector_of(CollectiveKind kind, int ranks, std::int64_t size_bytes) {
  return {.kind = kind, .ranks = ranks, .element_bytes = 8, .size_bytes = size_bytes};
}

/// What a rank sends and receives, without its work and its waiting.
std::vector<std::string> messages_of(Call call, int rank) {
  call.rank = rank;
  std::vector<std::string> lines;
  for_each_post(expand(call, mpich().choose(call)),
                [&](const Post& post) { lines.push_back(describe(post)); });
  return lines;
}

using Lines = std::vector<std::string>;

}  // namespace

TEST_CASE("MPICH 4.0: a broadcast's rules look at the size, and whether ranks are a power of two") {
  const auto kind = CollectiveKind::broadcast;
  CHECK(name_of(vector_of(kind, 7, 1 << 20)) == "mpich_binomial");
  CHECK(name_of(vector_of(kind, 8, 12288)) == "mpich_binomial");
  CHECK(name_of(vector_of(kind, 8, 12296)) == "mpich_scatter_allgather");
  CHECK(name_of(vector_of(kind, 9, 12296)) == "mpich_scatter_allgather_ring");
  CHECK(name_of(vector_of(kind, 8, 524288)) == "mpich_scatter_allgather");
  CHECK(name_of(vector_of(kind, 8, 524296)) == "mpich_scatter_allgather_ring");
}

TEST_CASE("MPICH 4.0: an allgather's rules look at the bytes of all ranks") {
  const auto kind = CollectiveKind::allgather;
  CHECK(name_of(vector_of(kind, 8, 524288 / 8 - 8)) == "recursive_doubling");
  CHECK(name_of(vector_of(kind, 8, 524288 / 8)) == "ring");
  CHECK(name_of(vector_of(kind, 10, 81920 / 10 - 8)) == "bruck");
  CHECK(name_of(vector_of(kind, 10, 81920 / 10)) == "ring");
}

TEST_CASE("MPICH 4.0: a nonblocking reduce_scatter_block counts elements where bytes are meant") {
  // 4 ranks, 8 bytes an element: 131,072 elements a rank are the rule's 524,288.
  Call call = vector_of(CollectiveKind::reduce_scatter_block, 4, 8 * 131'072);
  call.blocking = false;
  CHECK(name_of(call) == "pairwise");
  call.size_bytes -= 8;
  CHECK(name_of(call) == "recursive_halving");
}

TEST_CASE("MPICH 4.0: an alltoall's rule for fewer than 8 ranks also takes 8") {
  const auto kind = CollectiveKind::alltoall;
  CHECK(name_of(vector_of(kind, 8, 256)) == "scattered");
  CHECK(name_of(vector_of(kind, 9, 256)) == "bruck");
  CHECK(name_of(vector_of(kind, 9, 264)) == "scattered");
  CHECK(name_of(vector_of(kind, 9, 32768 + 8)) == "pairwise_exchange");
}

TEST_CASE("MPICH 4.0: a reduction with fewer elements than ranks is not scattered") {
  CHECK(name_of(vector_of(CollectiveKind::allreduce, 5, 8 * 4)) == "reduce_scatter_allgather");
  CHECK(name_of(vector_of(CollectiveKind::allreduce, 5, 8 * 3)) == "recursive_doubling");
  CHECK(name_of(vector_of(CollectiveKind::reduce, 512, 8 * 257)) == "mpich_binomial");
  Call call = vector_of(CollectiveKind::allreduce, 5, 8000);
  call.commutative = false;
  CHECK(name_of(call) == "recursive_doubling");
}

TEST_CASE("MPICH 4.0: equal blocks of a power of two of ranks are reduced and scattered in order") {
  Call call = vector_of(CollectiveKind::reduce_scatter, 4, 8);
  call.commutative = false;
  std::vector<std::int64_t> sizes{8, 8, 8, 8};
  call.sizes = sizes;
  CHECK(name_of(call) == "noncommutative");
  sizes[2] = 16;
  CHECK(name_of(call) == "recursive_doubling");
}

TEST_CASE("MPICH 4.0: a binomial broadcast serves the largest subtree first") {
  // Seven ranks from root 2 on: 2 serves 6 (then 0, 1), 4 (then 5) and 3.
  Call call = vector_of(CollectiveKind::broadcast, 7, 80);
  call.root = 2;
  CHECK(messages_of(call, 2) == Lines{"send 6 80 B", "send 4 80 B", "send 3 80 B"});
  CHECK(messages_of(call, 6) == Lines{"receive 2 80 B", "send 1 80 B", "send 0 80 B"});
  CHECK(messages_of(call, 1) == Lines{"receive 6 80 B"});
}

TEST_CASE("MPICH 4.0: an allreduce of 5 ranks folds rank 0 into rank 1") {
  // 10 elements in four blocks of 3, 3, 2 and 2. Ranks 1, 2, 3, 4 take part as numbers 0 to 3.
  const Call call = vector_of(CollectiveKind::allreduce, 5, 10 * 8);
  CHECK(messages_of(call, 0) == Lines{"send 1 80 B", "receive 1 80 B"});
  CHECK(messages_of(call, 1) == Lines{"receive 0 80 B",                 // all
                                      "receive 2 48 B", "send 2 32 B",  // keeps blocks 0 and 1
                                      "receive 3 24 B", "send 3 24 B",  // keeps block 0
                                      "receive 3 24 B", "send 3 24 B",  // has blocks 0 and 1
                                      "receive 2 32 B", "send 2 48 B",  // has all
                                      "send 0 80 B"});
}

TEST_CASE("MPICH 4.0: a reduce's parts go to a root that was folded away") {
  // 300 elements in two blocks of 150; rank 1, the root, gives all to rank 0. Ranks 0 and 2 take part.
  Call call = vector_of(CollectiveKind::reduce, 3, 300 * 8);
  call.root = 1;
  CHECK(messages_of(call, 0) ==
        Lines{"receive 1 2400 B", "receive 2 1200 B", "send 2 1200 B", "send 1 1200 B"});
  CHECK(messages_of(call, 1) == Lines{"send 0 2400 B", "receive 0 1200 B", "receive 2 1200 B"});
  CHECK(messages_of(call, 2) == Lines{"receive 0 1200 B", "send 0 1200 B", "send 1 1200 B"});
}

TEST_CASE("MPICH 4.0: an allgatherv's long blocks go around the ring in pieces") {
  Call call{.kind = CollectiveKind::allgatherv, .ranks = 3};
  const std::vector<std::int64_t> sizes{0, 100'000, 100};
  call.sizes = sizes;
  // Rank 1 passes on its own block and that of rank 0, which is empty; it gets those of 0 and 2.
  CHECK(messages_of(call, 1) ==
        Lines{"send 2 32768 B", "receive 0 100 B", "send 2 32768 B", "send 2 32768 B", "send 2 1696 B"});
  CHECK(messages_of(call, 0) == Lines{"receive 2 100 B", "receive 2 32768 B", "send 1 100 B",
                                      "receive 2 32768 B", "receive 2 32768 B", "receive 2 1696 B"});
}

TEST_CASE("MPICH 4.0: an alltoall exchanges with 32 ranks at a time, itself included") {
  const Call call = vector_of(CollectiveKind::alltoall, 40, 1024);
  const Choice choice = mpich().choose(call);
  REQUIRE(rounds(call, choice) == 2);
  for (const int number : {0, 1}) {
    std::vector<Operation> operations;
    round(number, call, choice, operations);
    CHECK(count_posts(operations) == (number == 0 ? 2 * 31 : 2 * 8));
    CHECK(std::get<Complete>(operations.back()).count == count_posts(operations));
  }
}
