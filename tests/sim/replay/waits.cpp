// SPDX-License-Identifier: MIT
// RankReplay::waits: what ranks wait for. NICs have 1 MB/s each way, unless a test says otherwise.
#include "sim/replay/waits.hpp"

#include <array>
#include <catch2/catch.hpp>
#include <optional>
#include <random>
#include <vector>

#include "listed_programs.hpp"
#include "shared_link.hpp"
#include "sim/replay/engine/flow_simulation.hpp"
#include "sim/replay/noise.hpp"
#include "small_platform.hpp"

using namespace finegrain;
using namespace finegrain::replay;

namespace {

Post sent(int peer, std::int64_t bytes = megabyte) {
  return {.kind = TransferKind::send, .peer = peer, .size_bytes = bytes};
}
Post received(int peer, std::int64_t bytes = megabyte) {
  return {.kind = TransferKind::receive, .peer = peer, .size_bytes = bytes};
}
/// After so many seconds of work, the post, and its end.
TimedCall alone_after(double work_s, const Post& post) {
  return {post, work_s, {Complete::all()}};
}
TimedCall posted_after(double work_s, const Post& post) {
  return {post, work_s};
}

std::vector<RankReplay> replayed(const std::vector<Calls>& ranks, SmallPlatform& platform,
                                 std::string_view algorithm = {}, int ranks_per_node = 1) {
  return replay_programs(ListedPrograms(ranks), *platform, {}, ranks_per_node, algorithm).ranks;
}

void check_waits(const RankReplay& rank, const Waits& expected) {
  const Waits waits = rank.waits.sum();
  for (const WaitCause& cause : wait_causes()) {
    INFO(cause.key);
    CHECK(waits.*cause.seconds == Approx(expected.*cause.seconds).margin(1e-9));
  }
}

}  // namespace

TEST_CASE("waits: a late sender, then the transfer, then what another message on its links adds") {
  SmallPlatform platform(switched(3));
  // Both messages share rank 1's NIC from 3 s on.
  const auto ranks = replayed({{alone_after(3, sent(1))},
                               {alone_after(1, received(0)), alone_after(-1, received(2))},
                               {alone_after(3, sent(1))}},
                              platform);
  check_waits(ranks[1], {.late_sender_s = 3 - 1, .transfer_s = 1, .contention_s = (5 - 3) - 1});
  check_waits(ranks[0], {.transfer_s = 1, .contention_s = 1});
  CHECK(ranks[0].awaited_s == Approx(3 - 1));
  CHECK(ranks[2].awaited_s == 0);
}

TEST_CASE("waits: a message that is alone has no contention, on any network") {
  for (const char* const network : {"shared", "ordered", "credit:4x4KiB"}) {
    CAPTURE(network);
    SmallPlatform platform(switched(2, "1ms"));
    (*platform).network = network;
    const auto ranks = replayed({{alone_after(0, sent(1))}, {alone_after(0, received(0))}}, platform);
    CHECK(ranks[1].waits.sum().contention_s == Approx(0).margin(1e-9));
    CHECK(ranks[1].waits.sum().transfer_s >= 1 + 2e-3);
  }
}

TEST_CASE("waits: a put or get that is alone has no contention, with replies behind data or without") {
  for (const bool replies : {false, true}) {
    for (const TransferKind kind : {TransferKind::put, TransferKind::get}) {
      CAPTURE(replies, kind);
      SmallPlatform platform(switched(2, "1ms"));
      platform.costs().replies_wait = replies;
      Post post = transfer(kind, 1, megabyte);
      post.blocking = true;
      const auto ranks = replayed({{posted_after(0, post)}, {}}, platform);
      CHECK(ranks[0].waits.sum().contention_s == Approx(0).margin(1e-9));
      CHECK(ranks[0].waits.sum().transfer_s >= 1);
    }
  }
}

TEST_CASE("waits: two puts over one link of 1 MB/s take twice as long as one") {
  SmallPlatform platform(two_switches);
  Post put = transfer(TransferKind::put, 2, megabyte);
  put.blocking = true;
  Post other = put;
  other.peer = 3;
  const auto ranks = replayed({{posted_after(0, put)}, {posted_after(0, other)}, {}, {}}, platform);
  check_waits(ranks[0], {.transfer_s = 1, .contention_s = 1});
  check_waits(ranks[1], {.transfer_s = 1, .contention_s = 1});
}

TEST_CASE("waits: the sender of a long message waits for a late receiver, and then for the transfer") {
  SmallPlatform platform(switched(2));
  platform.costs().eager_limit_bytes = 0;
  const auto ranks = replayed({{alone_after(0, sent(1))}, {alone_after(3, received(0))}}, platform);
  check_waits(ranks[0], {.late_receiver_s = 3, .transfer_s = 1});
  check_waits(ranks[1], {.transfer_s = 1});
  CHECK(ranks[1].awaited_s == Approx(3));
}

TEST_CASE("waits: who is late for a collective is waited for by all others") {
  SmallPlatform platform(switched(4));
  const Collective sum{.kind = CollectiveKind::allreduce, .element_bytes = 8, .size_bytes = 8};
  const auto ranks =
      replayed({{{sum, 0}}, {{sum, 5}}, {{sum, 1}}, {{sum, 0}}}, platform, "allreduce=recursive_doubling");
  CHECK(ranks[0].waits.sum().late_collective_s == Approx(5).margin(1e-4));
  CHECK(ranks[1].waits.sum().late_s() == Approx(0).margin(1e-9));
  CHECK(ranks[2].waits.sum().late_collective_s == Approx(5 - 1).margin(1e-4));
  // Rank 3 meets rank 2 first, which comes at 1 s.
  CHECK(ranks[1].awaited_s == Approx(5 + 4 + (5 - 1)).margin(1e-3));
  CHECK(ranks[2].awaited_s == Approx(1).margin(1e-3));
}

TEST_CASE("waits: in a collective, contention on an earlier hop is contention for who waits behind it") {
  SmallPlatform platform(switched(4));
  const Collective broadcast{.kind = CollectiveKind::broadcast, .size_bytes = megabyte};
  // In the second run, rank 0's NIC also carries 1 MB to rank 2.
  const auto alone =
      replayed({{{broadcast, 0}}, {{broadcast, 0}}, {{broadcast, 0}}}, platform, "bcast=chain");
  CHECK(alone[2].waits.sum().contention_s == Approx(0).margin(1e-9));
  CHECK(alone[2].waits.sum().transfer_s == Approx(alone[2].finish_s));
  const auto shared = replayed({{posted_after(0, sent(2)), {broadcast, -1}},
                                {{broadcast, 0}},
                                {posted_after(0, received(0)), {broadcast, -1}}},
                               platform, "bcast=chain");
  CHECK(shared[1].waits.sum().contention_s > 0.1);
  CHECK(shared[2].waits.sum().contention_s >= shared[1].waits.sum().contention_s - 1e-9);
}

TEST_CASE("waits: a posted collective that is late because of contention is not late because of ranks") {
  SmallPlatform platform(switched(3));
  const Collective broadcast{.kind = CollectiveKind::broadcast, .blocking = false, .size_bytes = megabyte};
  Post behind = sent(2);
  const auto ranks = replayed({{posted_after(0, behind), {broadcast, -1}, {Complete::all(), -1}},
                               {{broadcast, 0}, {Complete::all(), -1}},
                               {posted_after(0, received(0)), {broadcast, -1}, {Complete::all(), -1}}},
                              platform, "bcast=linear");
  // Rank 0's NIC carries 3 MB, all at once. Alone, each takes 1 s.
  check_waits(ranks[1], {.transfer_s = 1, .contention_s = 3 - 1});
}

TEST_CASE("waits: a lock that another rank has") {
  SmallPlatform platform(switched(2));
  const Lock take{.acquire = true, .exclusive = true, .peer = 0};
  const Lock give_back{.acquire = false, .peer = 0};
  const auto ranks = replayed({{{take, 0}, {give_back, 2}}, {{take, 0.5}, {give_back, 0}}}, platform);
  check_waits(ranks[0], {});
  check_waits(ranks[1], {.lock_s = 2 - 0.5});
}

TEST_CASE("waits: at a schedule's barrier, ranks wait for the last one") {
  SmallPlatform platform(two_switches);
  const ReplayResult result = replay::replay(puts(megabyte), *platform);
  const double put_s = result.ranks[0].phases_s.front();
  check_waits(result.ranks[0], {.transfer_s = put_s});
  CHECK(result.ranks[1].waits.sum().late_collective_s == Approx(put_s));
  CHECK(result.ranks[0].awaited_s == Approx(put_s));
}

TEST_CASE("waits: iterations that are not simulated wait as those that are") {
  SmallPlatform platform(two_switches);
  ReplayOptions in_full;
  in_full.repeat_tolerance = 0;
  const ReplayResult some = replay::replay(puts(megabyte, 200), *platform);
  const ReplayResult all = replay::replay(puts(megabyte, 200), *platform, in_full);
  REQUIRE(some.simulated_iterations < 200);
  for (std::size_t rank = 0; rank < 2; ++rank)
    check_waits(some.ranks[rank], all.ranks[rank].waits.sum());
  CHECK(some.ranks[0].awaited_s == Approx(all.ranks[0].awaited_s));
}

namespace {

/// How long each rank is at steps in which it waits.
class WaitingSteps : public Observer {
 public:
  explicit WaitingSteps(std::size_t ranks) : began_s_(ranks, 0), waited_s(ranks, 0) {}
  void step_began(std::size_t rank, const Step& /*step*/, double now_s) override { began_s_[rank] = now_s; }
  void step_done(std::size_t rank, const Step& step, double now_s) override {
    if (replay::waits(step.kind)) waited_s[rank] += now_s - began_s_[rank];
  }

 private:
  std::vector<double> began_s_;

 public:
  std::vector<double> waited_s;
};

/// Programs of 4 ranks in which messages, puts and collectives follow one another in one order, so that no
/// rank waits forever.
std::vector<Calls> random_programs(std::mt19937& random) {
  const auto below = [&](int limit) { return std::uniform_int_distribution<int>(0, limit - 1)(random); };
  const auto work_s = [&] { return below(3) == 0 ? -1. : below(1000) / 300.; };
  std::vector<Calls> ranks(4);
  for (int step = 0; step < 30; ++step) {
    const int from = below(4);
    const int to = (from + 1 + below(3)) % 4;
    const std::int64_t bytes = 1 + below(static_cast<int>(megabyte));
    switch (below(5)) {
      case 0:
      case 1:
        ranks[static_cast<std::size_t>(from)].push_back(alone_after(work_s(), sent(to, bytes)));
        ranks[static_cast<std::size_t>(to)].push_back(alone_after(work_s(), received(from, bytes)));
        break;
      case 2: {
        Post put = transfer(TransferKind::put, to, bytes);
        put.blocking = below(2) == 0;
        ranks[static_cast<std::size_t>(from)].push_back({put, work_s(), {Complete::all()}});
        break;
      }
      case 3:
      case 4: {
        Collective collective{.kind = below(2) == 0 ? CollectiveKind::allreduce : CollectiveKind::broadcast,
                              .blocking = below(2) == 0,
                              .element_bytes = 8,
                              .size_bytes = bytes / 8 * 8};
        for (Calls& rank : ranks)
          rank.push_back({collective, work_s(), {Complete::all()}});
        break;
      }
    }
  }
  return ranks;
}

}  // namespace

TEST_CASE("waits: the causes add up to the waits of each rank, in random programs on all networks") {
  SmallPlatform platform(switched(4, "1ms"));
  platform.costs().message_overhead_s = 1e-3;
  platform.costs().local_latency_s = 1e-4;
  Schedule run;
  run.run.ranks = 4;
  run.run.ranks_per_node = 1;
  LoadedPlatform loaded = load_platform({.schedule = &run, .platform = &*platform});
  const Noise noise = parse_noise("exponential:period=10ms,duration=1ms", "");
  const collectives::Decisions decisions("openmpi-4.1", {});
  std::mt19937 random(46);
  for (int round = 0; round < 60; ++round) {
    (*platform).network =
        std::array{"shared", "ordered", "credit:2x64KiB"}[static_cast<std::size_t>(round % 3)];
    platform.costs().replies_wait = round % 3 == 1;
    platform.costs().eager_limit_bytes = round % 2 == 0 ? std::optional<std::int64_t>(100'000) : std::nullopt;
    run.run.ranks_per_node = 1 + round / 3 % 2;
    const bool has_noise = round >= 30;
    CAPTURE(round, (*platform).network, run.run.ranks_per_node, has_noise);
    const ListedPrograms programs(random_programs(random));
    WaitingSteps steps(4);
    Observer* const observer = &steps;
    const ReplayResult result = simulate_flows(loaded,
                                               {.schedule = &run,
                                                .platform = &*platform,
                                                .programs = &programs,
                                                .decisions = &decisions,
                                                .noise = has_noise ? &noise : nullptr},
                                               {}, {&observer, 1});
    for (std::size_t rank = 0; rank < 4; ++rank) {
      CHECK(result.ranks[rank].waits.sum().total_s() == Approx(steps.waited_s[rank]).margin(1e-9).epsilon(0));
      for (const WaitCause& cause : wait_causes())
        CHECK(result.ranks[rank].waits.sum().*cause.seconds >= 0);
    }
  }
}
