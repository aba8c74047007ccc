// SPDX-License-Identifier: MIT
//
// MuPC's two microbenchmarks: what each rank accesses of others.
#include <catch2/catch.hpp>
#include <random>

#include "../../traces/transfer.hpp"
#include "schedules.hpp"
#include "sim/pattern/pattern.hpp"
#include "traces/io/input_error.hpp"

using namespace finegrain;
using namespace finegrain::pattern;
using namespace finegrain::policy;

namespace {

struct OpenedBenchmark {
  std::shared_ptr<const Pattern> pattern;
  Run run;

  Schedule schedule(const std::string& policy, Completion completion) const {
    Run chosen = run;
    chosen.policy = policy;
    chosen.transfer = Transfer::get;
    chosen.completion = completion;
    return make_schedule(*pattern, chosen);
  }
};

OpenedBenchmark open(const std::string& name, const std::string& accesses, int ranks, int ranks_per_node,
                     const Settings& settings = {}) {
  const auto pattern = pattern_kind(name).open(accesses, "--" + name);
  return {pattern,
          {.problem = pattern->problem(ranks, settings),
           .policy = "",
           .ranks = ranks,
           .ranks_per_node = ranks_per_node}};
}

std::vector<std::int64_t> addresses_of(const OpenedBenchmark& of, int rank) {
  std::vector<std::int64_t> addresses;
  of.pattern->accesses(of.run, [&](int accessing, int /*stage*/, std::span<const Access> accesses) {
    for (const Access& access : accesses)
      if (accessing == rank) addresses.push_back(access.address);
  });
  return addresses;
}

}  // namespace

TEST_CASE("streaming: rank 0 alone accesses the first rank of the next node, or the last of the only one") {
  for (const auto& [ranks_per_node, owner] : {std::pair(2, 2), {1, 1}, {4, 3}, {8, 3}}) {
    const Schedule schedule =
        open("streaming", "100", 4, ranks_per_node).schedule("individual", Completion::each);
    CHECK(messages_of(schedule.ranks[0]) == std::vector{transfer(TransferKind::load, owner, 8, 100)});
    for (std::size_t rank = 1; rank < 4; ++rank)
      CHECK(messages_of(schedule.ranks[rank]).empty());
  }
}

TEST_CASE("natural ring: every rank accesses the next one, and the last the first") {
  const Schedule schedule = open("natural-ring", "100", 3, 1, {{"access", std::string("write")}})
                                .schedule("individual", Completion::together);
  for (std::int32_t rank = 0; rank < 3; ++rank)
    CHECK(messages_of(schedule.ranks[static_cast<std::size_t>(rank)]) ==
          std::vector{transfer(TransferKind::put, (rank + 1) % 3, 8, 100)});
}

TEST_CASE("neighbours' words: in order they begin anew at the end, at random they are the programs'") {
  const Settings small{{"words", std::int64_t{3}}};
  CHECK(addresses_of(open("streaming", "5", 2, 1, small), 0) == std::vector<std::int64_t>{0, 8, 16, 0, 8});
  const Settings at_random{{"word-order", std::string("random")}};
  // kernels/micro/neighbour_access.cpp: of 2^14 elements, by a generator that starts with the rank and 1.
  std::mt19937_64 random(1 + 1);
  for (const std::int64_t address : addresses_of(open("natural-ring", "50", 2, 1, at_random), 1))
    CHECK(address == static_cast<std::int64_t>(random() % (1 << 14)) * 8);
}

TEST_CASE("neighbours' words: one rank has no neighbour") {
  const auto pattern = pattern_kind("streaming").open("5", "--streaming-accesses");
  CHECK_THROWS_AS(pattern->problem(1, {}), InputError);
  CHECK_THROWS_AS(pattern_kind("natural-ring").open("0", "--natural-ring-accesses"), InputError);
}
