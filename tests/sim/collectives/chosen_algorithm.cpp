// SPDX-License-Identifier: MIT
#include <catch2/catch.hpp>

#include "sim/collectives/decisions.hpp"
#include "traces/io/input_error.hpp"

using namespace finegrain;
using namespace finegrain::collectives;

namespace {

std::string name_of(const Decisions& decisions, CollectiveKind kind, int ranks, std::int64_t size_bytes) {
  const Call call{.kind = kind, .ranks = ranks, .element_bytes = 8, .size_bytes = size_bytes};
  return std::string(decisions.choose(call).algorithm->name());
}

}  // namespace

TEST_CASE("Open MPI 4.1: a rule's bounds are exact") {
  const Decisions openmpi("openmpi-4.1");
  CHECK(name_of(openmpi, CollectiveKind::allreduce, 8, 8191) == "recursive_doubling");
  CHECK(name_of(openmpi, CollectiveKind::allreduce, 8, 8192) == "rabenseifner");
  CHECK(name_of(openmpi, CollectiveKind::barrier, 7, 0) == "linear");
  CHECK(name_of(openmpi, CollectiveKind::barrier, 8, 0) == "recursive_doubling");
  CHECK(name_of(openmpi, CollectiveKind::barrier, 64, 0) == "dissemination");
}

TEST_CASE("Open MPI 4.1: an algorithm that cannot carry out the call gives way") {
  const Decisions openmpi("openmpi-4.1");
  SECTION("an allgather by recursive doubling needs a power of two of ranks") {
    CHECK(name_of(openmpi, CollectiveKind::allgather, 16, 1024) == "recursive_doubling");
    CHECK(name_of(openmpi, CollectiveKind::allgather, 17, 1024) == "bruck");
  }
  SECTION("a ring needs an element a rank") {
    CHECK(name_of(openmpi, CollectiveKind::allreduce, 4, 8) == "recursive_doubling");
  }
  SECTION("a segmented ring needs segments") {
    CHECK(name_of(openmpi, CollectiveKind::allreduce, 2, 131072) == "ring");
  }
}

TEST_CASE("one rank sends nothing") {
  const Decisions openmpi("openmpi-4.1");
  CHECK(name_of(openmpi, CollectiveKind::allreduce, 1, 8) == "own_copy");
}

TEST_CASE("an allgatherv is decided by the mean block, a reduce_scatter by all blocks") {
  const Decisions openmpi("openmpi-4.1");
  std::vector<std::int64_t> sizes(8, 0);
  sizes[3] = 8 * 1024;  // the mean is 1,024 bytes
  CHECK(openmpi.choose({.kind = CollectiveKind::allgatherv, .ranks = 8, .sizes = sizes}).algorithm->name() ==
        "bruck");
  sizes[3] = 8 * 1024 - 8;
  CHECK(openmpi.choose({.kind = CollectiveKind::allgatherv, .ranks = 8, .sizes = sizes}).algorithm->name() ==
        "linear");
  sizes[3] = 262144;
  CHECK(openmpi.choose({.kind = CollectiveKind::reduce_scatter, .ranks = 8, .sizes = sizes})
            .algorithm->name() == "ring");
}

TEST_CASE("a user's algorithm is taken instead of the table's") {
  Overrides overrides;
  overrides.add("allreduce=ring");
  overrides.add("bcast=chain:4096:2");
  const Decisions decisions("openmpi-4.1", overrides);
  CHECK(name_of(decisions, CollectiveKind::allreduce, 8, 8000) == "ring");
  const Choice broadcast = decisions.choose(
      {.kind = CollectiveKind::broadcast, .ranks = 8, .element_bytes = 8, .size_bytes = 1 << 20});
  CHECK(broadcast.algorithm->name() == "chain");
  CHECK(broadcast.segment_bytes == 4096);
  CHECK(broadcast.fan == 2);
}

TEST_CASE("what cannot be chosen is said, with what can") {
  using Catch::Matchers::Contains;
  Overrides overrides;
  CHECK_THROWS_WITH(overrides.add("allreduce=fast"),
                    Contains("no algorithm 'fast' for allreduce") && Contains("rabenseifner, "));
  CHECK_THROWS_WITH(overrides.add("broadcst=ring"),
                    Contains("no collective 'broadcst'") && Contains("allreduce, "));
  CHECK_THROWS_WITH(overrides.add("bcast"), Contains("COLLECTIVE=ALGORITHM"));
  CHECK_THROWS_WITH(overrides.add("bcast=chain:4k"), Contains("'4k' is no size of a segment"));
  CHECK_THROWS_WITH(overrides.add("bcast=chain:4:2:1"), Contains("too many parts"));
  overrides.add("iallreduce=linear");
  overrides.add("allreduce=linear");
  CHECK_THROWS_WITH(overrides.add("allreduce=ring"),
                    Contains("'allreduce=ring' is a second choice for allreduce"));
  CHECK_THROWS_WITH(Decisions("mvapich"), Contains("'mvapich'") && Contains("openmpi-4.1"));
}
