// SPDX-License-Identifier: MIT
//
// FT of the NAS Parallel Benchmarks: who sends how much.
#include <catch2/catch.hpp>

#include "schedules.hpp"
#include "traces/io/input_error.hpp"

using namespace finegrain;
using namespace finegrain::pattern;
using namespace finegrain::policy;

namespace {

std::vector<Collective> ft_collectives(const std::string& class_name, int ranks, int of_rank) {
  const auto pattern = pattern_kind("npb-ft").open(class_name, "--npb-ft");
  const Schedule schedule = make_schedule(*pattern, {.problem = pattern->problem(ranks, {}),
                                                     .policy = "condensed",
                                                     .transfer = Transfer::two_sided,
                                                     .completion = Completion::together,
                                                     .ranks = ranks});
  std::vector<Collective> all;
  for (const Operation& operation : schedule.ranks[static_cast<std::size_t>(of_rank)].operations)
    if (const auto* collective = std::get_if<Collective>(&operation)) all.push_back(*collective);
  return all;
}

std::int64_t alltoall_bytes(const std::string& class_name, int ranks) {
  return ft_collectives(class_name, ranks, ranks - 1).front().size_bytes;
}

}  // namespace

TEST_CASE("npb-ft: an iteration is an alltoall of the grid and a sum of one complex number at rank 0") {
  const std::vector<Collective> all = ft_collectives("S", 4, 1);
  REQUIRE(all.size() == 2);
  CHECK(all[0] == Collective{.kind = CollectiveKind::alltoall,
                             .element_bytes = 16,
                             .size_bytes = 64 * 64 * 64 / 4 / 4 * 16});
  CHECK(all[1] == Collective{.kind = CollectiveKind::reduce, .element_bytes = 16, .size_bytes = 16});
}

TEST_CASE("npb-ft: each rank sends each its share of a share of the published grids") {
  CHECK(alltoall_bytes("W", 32) == 128 * 128 * 32 / 32 / 32 * 16);
  CHECK(alltoall_bytes("A", 16) == 256 * 256 * 128 / 16 / 16 * 16);
  CHECK(alltoall_bytes("B", 16) == 512 * 256 * 256 / 16 / 16 * 16);
  CHECK(alltoall_bytes("C", 512) == 512 * 512 * 512 / 512 / 512 * 16);
  CHECK(alltoall_bytes("D", 1024) == std::int64_t{2048} * 1024 * 1024 / 1024 / 1024 * 16);
}

TEST_CASE("npb-ft: what cannot be cut into slabs is refused") {
  const auto pattern = pattern_kind("npb-ft").open("W", "--npb-ft");
  CHECK_THROWS_AS(pattern->problem(3, {}), InputError);
  CHECK_THROWS_AS(pattern->problem(0, {}), InputError);
  CHECK_NOTHROW(pattern->problem(32, {}));
  CHECK_THROWS_AS(pattern->problem(64, {}), InputError);  // 32 planes
  CHECK_THROWS_AS(pattern_kind("npb-ft").open("E", "--npb-ft"), InputError);
}
