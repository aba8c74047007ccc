// SPDX-License-Identifier: MIT
#include <catch2/catch.hpp>

#include "patterns.hpp"
#include "sim/schedule/counts.hpp"
#include "sim/schedule/policies.hpp"
#include "sim/schedule/traffic.hpp"
#include "traces/io/input_error.hpp"

using namespace finegrain;
using test::Pattern;
using Messages = std::vector<Message>;

namespace {

/// Ranks 0 to 3 own the elements {0 1} {2 3} {4 5} {6 7}. In parentheses what other ranks own.
const Pattern eight_rows{8,
                         2,
                         {1, 2,    // row 0: (2)
                          2, 4,    // row 1: (2) (4)
                          2, 3,    // row 2
                          7, 0,    // row 3: (7) (0)
                          3, 5,    // row 4: (3)
                          3, 2,    // row 5: (3) (2)
                          6, 6,    // row 6, padding only
                          6, 1}};  // row 7: (1)

Run run_of(const Pattern& pattern, int ranks, std::int64_t block_size, Policy policy, Sides sides) {
  Run run;
  run.problem = SpmvProblem{"test.fgm", "0", pattern.rows, pattern.r_nz, block_size};
  run.policy = policy;
  run.sides = sides;
  run.ranks = ranks;
  run.ranks_per_node = 2;
  return run;
}

Schedule schedule_of(const Pattern& pattern, int ranks, std::int64_t block_size, Policy policy,
                     Sides sides = Sides::one_sided) {
  return spmv_schedule(pattern.view(), run_of(pattern, ranks, block_size, policy, sides));
}

std::vector<PhaseKind> kinds(const Iteration& iteration) {
  std::vector<PhaseKind> result;
  for (const Phase& phase : iteration.phases)
    result.push_back(phase.kind);
  return result;
}

const Phase& phase_of(const Iteration& iteration, PhaseKind kind) {
  for (const Phase& phase : iteration.phases) {
    if (phase.kind == kind) return phase;
  }
  throw std::runtime_error("no such phase");
}

Messages messages_of(const Iteration& iteration, PhaseKind kind) {
  const auto messages = iteration.messages_of(phase_of(iteration, kind));
  return {messages.begin(), messages.end()};
}

struct Case {
  const char* name;
  Pattern pattern;
  int ranks;
  std::int64_t block_size;
};

std::vector<Case> cases() {
  std::vector<Case> result;
  for (const int ranks : {1, 2, 4, 7, 16, 33}) {
    for (const std::int64_t block_size : {1, 7, 64, 1000}) {
      result.push_back({"random", test::random_pattern(101, 3, 1), ranks, block_size});
      result.push_back({"banded", test::banded_pattern(131, 4, 9, 2), ranks, block_size});
    }
  }
  return result;
}

}  // namespace

TEST_CASE("individual policy: a get for each access of another rank's element, in program order") {
  const Schedule schedule = schedule_of(eight_rows, 4, 2, Policy::individual);
  const auto compute = [&](std::size_t rank) {
    return messages_of(schedule.ranks[rank], PhaseKind::compute);
  };
  CHECK(compute(0) == Messages{{MessageKind::get, 1, 8, 2}, {MessageKind::get, 2, 8, 1}});
  CHECK(compute(1) == Messages{{MessageKind::get, 3, 8, 1}, {MessageKind::get, 0, 8, 1}});
  CHECK(compute(2) == Messages{{MessageKind::get, 1, 8, 3}});
  CHECK(compute(3) == Messages{{MessageKind::get, 0, 8, 1}});
}

TEST_CASE(
    "individual policy: rows are in the order of the rank's own blocks, entries in the order of the row") {
  // BLOCKSIZE 1 on three ranks: rank 0 owns elements 0 and 3, rank 1 owns 1 and 4, rank 2 owns 2 and 5.
  const Pattern pattern{6, 2, {2, 1, 1, 1, 2, 2, 4, 5, 4, 4, 5, 5}};
  const Schedule schedule = schedule_of(pattern, 3, 1, Policy::individual);
  CHECK(schedule.ranks[0].messages == Messages{{MessageKind::get, 2, 8, 1},      // row 0
                                               {MessageKind::get, 1, 8, 1 + 1},  // rows 0 and 3
                                               {MessageKind::get, 2, 8, 1}});    // row 3
}

TEST_CASE("block policy: every needed block is fetched whole, in ascending order, own blocks included") {
  const Schedule schedule = schedule_of(eight_rows, 4, 2, Policy::block);
  const auto get = [&](std::size_t rank) { return messages_of(schedule.ranks[rank], PhaseKind::get); };
  const auto block_of = [](std::int32_t owner) { return Message{MessageKind::get, owner, 2 * 8}; };
  CHECK(get(0) == Messages{block_of(0), block_of(1), block_of(2)});
  CHECK(get(1) == Messages{block_of(0), block_of(1), block_of(3)});
  CHECK(get(2) == Messages{block_of(1), block_of(2)});
  CHECK(get(3) == Messages{block_of(0), block_of(3)});
}

TEST_CASE("block policy: a block is a message of its own, and the last one is as long as it is") {
  // Blocks {0 1 2} {3 4 5} {6 7} of ranks 0, 1, 0.
  const Schedule schedule = schedule_of(eight_rows, 2, 3, Policy::block);
  CHECK(schedule.ranks[1].messages ==
        Messages{{MessageKind::get, 0, 3 * 8}, {MessageKind::get, 1, 3 * 8}, {MessageKind::get, 0, 2 * 8}});
}

TEST_CASE("condensed policy, one-sided: one put for each reader, of the distinct values that it reads") {
  const Schedule schedule = schedule_of(eight_rows, 4, 2, Policy::condensed);
  const auto put = [&](std::size_t rank) { return messages_of(schedule.ranks[rank], PhaseKind::put); };
  CHECK(put(0) == Messages{{MessageKind::put, 1, 1 * 8}, {MessageKind::put, 3, 1 * 8}});
  CHECK(put(1) == Messages{{MessageKind::put, 0, 1 * 8}, {MessageKind::put, 2, 2 * 8}});
  CHECK(put(2) == Messages{{MessageKind::put, 0, 1 * 8}});
  CHECK(put(3) == Messages{{MessageKind::put, 1, 1 * 8}});
}

TEST_CASE("condensed policy, two-sided: receives and sends of the distinct values") {
  const Schedule schedule = schedule_of(eight_rows, 4, 2, Policy::condensed, Sides::two_sided);
  CHECK(schedule.ranks[1].messages == Messages{{MessageKind::receive, 0, 1 * 8},
                                               {MessageKind::receive, 3, 1 * 8},
                                               {MessageKind::send, 0, 1 * 8},
                                               {MessageKind::send, 2, 2 * 8}});
  CHECK(schedule.ranks[2].messages ==
        Messages{{MessageKind::receive, 1, 2 * 8}, {MessageKind::send, 0, 1 * 8}});
}

TEST_CASE("condensed policy: volumes of pack, copy, unpack and compute are eqs. (12), (14), (15) and (7)") {
  for (const Sides sides : {Sides::one_sided, Sides::two_sided}) {
    const Schedule schedule = schedule_of(eight_rows, 4, 2, Policy::condensed, sides);
    const auto volume = [&](PhaseKind kind) { return phase_of(schedule.ranks[1], kind).memory_bytes; };
    CHECK(volume(PhaseKind::pack) == (1 + 2) * (2 * 8 + 4));
    CHECK(volume(PhaseKind::copy) == 2 * 2 * 8);
    CHECK(volume(PhaseKind::unpack) == (1 + 1) * (8 + 4 + 64));
    CHECK(volume(PhaseKind::compute) == 2 * (2 * (8 + 4) + 3 * 8));
  }
}

TEST_CASE("all policies: every rank has the documented phases, whatever it owns or exchanges") {
  using enum PhaseKind;
  const auto check = [](const Schedule& schedule, const std::vector<PhaseKind>& expected) {
    for (const Iteration& iteration : schedule.ranks)
      CHECK(kinds(iteration) == expected);
  };
  // 3 ranks and BLOCKSIZE 4: the third rank owns nothing.
  for (const int ranks : {1, 3, 4}) {
    CAPTURE(ranks);
    check(schedule_of(eight_rows, ranks, 4, Policy::individual), {compute, barrier, barrier});
    check(schedule_of(eight_rows, ranks, 4, Policy::block), {get, compute, barrier, barrier});
    check(schedule_of(eight_rows, ranks, 4, Policy::condensed),
          {pack, put, barrier, copy, unpack, compute, barrier, barrier});
    check(schedule_of(eight_rows, ranks, 4, Policy::condensed, Sides::two_sided),
          {receive, pack, send, copy, wait, unpack, compute});
  }
}

TEST_CASE("all policies: a rank without rows moves nothing") {
  for (const Policy policy : {Policy::individual, Policy::block, Policy::condensed}) {
    const Iteration idle = schedule_of(eight_rows, 3, 4, policy).ranks[2];
    CHECK(idle.messages.empty());
    for (const Phase& phase : idle.phases)
      CHECK(phase.memory_bytes == 0);
  }
}

TEST_CASE("on one rank nothing is sent, but the block policy still copies its own blocks") {
  CHECK(schedule_of(eight_rows, 1, 3, Policy::individual).ranks[0].messages.empty());
  CHECK(schedule_of(eight_rows, 1, 3, Policy::condensed).ranks[0].messages.empty());
  CHECK(schedule_of(eight_rows, 1, 3, Policy::condensed, Sides::two_sided).ranks[0].messages.empty());
  CHECK(schedule_of(eight_rows, 1, 3, Policy::block).ranks[0].messages ==
        Messages{{MessageKind::get, 0, 3 * 8}, {MessageKind::get, 0, 3 * 8}, {MessageKind::get, 0, 2 * 8}});
}

TEST_CASE("condensed policy: what a sends to b is what b receives from a, in ascending order of peer") {
  for (const Case& c : cases()) {
    CAPTURE(c.name, c.ranks, c.block_size);
    const Schedule schedule =
        schedule_of(c.pattern, c.ranks, c.block_size, Policy::condensed, Sides::two_sided);
    std::vector<Messages> received(schedule.ranks.size());
    for (std::size_t sender = 0; sender < schedule.ranks.size(); ++sender) {
      std::int32_t previous = -1;
      for (const Message& message : messages_of(schedule.ranks[sender], PhaseKind::send)) {
        CHECK(message.peer > previous);
        previous = message.peer;
        received.at(static_cast<std::size_t>(message.peer))
            .push_back({MessageKind::receive, static_cast<std::int32_t>(sender), message.size_bytes});
      }
    }
    for (std::size_t rank = 0; rank < received.size(); ++rank)
      CHECK(messages_of(schedule.ranks[rank], PhaseKind::receive) == received[rank]);
  }
}

TEST_CASE("condensed policy: one-sided puts are the two-sided sends") {
  for (const Case& c : cases()) {
    CAPTURE(c.name, c.ranks, c.block_size);
    const Schedule puts = schedule_of(c.pattern, c.ranks, c.block_size, Policy::condensed);
    const Schedule sends = schedule_of(c.pattern, c.ranks, c.block_size, Policy::condensed, Sides::two_sided);
    CHECK(traffic_of(puts) == traffic_of(sends));
    for (std::size_t rank = 0; rank < puts.ranks.size(); ++rank) {
      Messages expected = messages_of(sends.ranks[rank], PhaseKind::send);
      for (Message& message : expected)
        message.kind = MessageKind::put;
      CHECK(messages_of(puts.ranks[rank], PhaseKind::put) == expected);
    }
  }
}

TEST_CASE("all policies: messages and bytes add up to the paper's counts") {
  for (const Case& c : cases()) {
    CAPTURE(c.name, c.ranks, c.block_size);
    const auto counts = count_accesses(c.pattern.view(), Distribution(c.pattern.rows, c.ranks, c.block_size),
                                       Placement(c.ranks, 2));
    const auto individual = traffic_of(schedule_of(c.pattern, c.ranks, c.block_size, Policy::individual));
    const auto block = traffic_of(schedule_of(c.pattern, c.ranks, c.block_size, Policy::block));
    const auto condensed = traffic_of(schedule_of(c.pattern, c.ranks, c.block_size, Policy::condensed));
    for (std::size_t rank = 0; rank < counts.size(); ++rank) {
      const RankCounts& count = counts[rank];
      CHECK(individual[rank].in_local == Volume{count.accesses_local, count.accesses_local * 8});
      CHECK(individual[rank].in_remote == Volume{count.accesses_remote, count.accesses_remote * 8});
      CHECK(block[rank].in_local == Volume{count.blocks_local, count.block_values_local * 8});
      CHECK(block[rank].in_remote == Volume{count.blocks_remote, count.block_values_remote * 8});
      CHECK(condensed[rank].in_local == Volume{count.messages_in_local, count.values_in_local * 8});
      CHECK(condensed[rank].in_remote == Volume{count.messages_in_remote, count.values_in_remote * 8});
      CHECK(condensed[rank].out_local == Volume{count.messages_out_local, count.values_out_local * 8});
      CHECK(condensed[rank].out_remote == Volume{count.messages_out_remote, count.values_out_remote * 8});
    }
  }
}

TEST_CASE("policies without a two-sided form say so") {
  for (const Policy policy : {Policy::individual, Policy::block})
    CHECK_THROWS_AS(schedule_of(eight_rows, 4, 2, policy, Sides::two_sided), InputError);
}

TEST_CASE("an impossible distribution is refused") {
  for (const Policy policy : {Policy::individual, Policy::block, Policy::condensed}) {
    CHECK_THROWS_AS(schedule_of(eight_rows, 9, 1, policy), InputError);
    CHECK_THROWS_AS(schedule_of(eight_rows, 0, 1, policy), InputError);
    CHECK_THROWS_AS(schedule_of(eight_rows, 4, 0, policy), InputError);
    CHECK_THROWS_AS(schedule_of(eight_rows, 4, -2, policy), InputError);
  }
}
