// SPDX-License-Identifier: MIT
// What powers come to: watts times seconds, for every core that is busy.
#include <catch2/catch.hpp>
#include <numeric>

#include "listed_programs.hpp"
#include "sim/replay/programs/sockets.hpp"
#include "small_platform.hpp"
#include "traces/io/input_error.hpp"

using namespace finegrain;
using namespace finegrain::replay;
using Catch::Matchers::Contains;

namespace {

/// One socket: 1 W idle, 2 W with a busy core, 3 W with two. Work is a second a byte.
class Powered : public SmallPlatform {
 public:
  explicit Powered(int nodes, const std::string& latency = "0us")
      : SmallPlatform(switched(nodes, latency, "core='8'")) {
    costs().memory_bandwidth_bytes_per_s = 1000;
    costs().memory_bandwidth_per_core_bytes_per_s = 1;
    powers() = {.socket = {{0, 1}, {1, 2}, {2, 3}}};
  }
  platform::Powers& powers() {
    if (!(**this).powers) (**this).powers.emplace();
    return *(**this).powers;
  }
};

Work seconds(std::int64_t count) {
  return {count};
}

/// Works for so long, then meets the others if asked to.
Body works(std::int64_t count, bool meets) {
  Body body = one_region(regions::compute, seconds(count));
  if (meets) body.add_region(regions::barrier, Collective{});
  return body;
}

ReplayOptions with(Waiting waiting) {
  ReplayOptions options;
  options.energy.waiting = waiting;
  return options;
}

double total_j(const ReplayResult& result) {
  REQUIRE(result.energy);
  return result.energy->total_j;
}

double of_ranks_j(const ReplayResult& result) {
  double joules = 0;
  for (const RankReplay& rank : result.ranks)
    joules += std::accumulate(rank.phases_j.begin(), rank.phases_j.end(), 0.);
  return joules;
}

/// Sockets of 4 cores whose powers are no line: the power of 3 cores lies between those of 2 and 4.
void make_uneven(Powered& platform) {
  platform.powers() = {.socket = {{0, 10}, {1, 25}, {2, 32}, {4, 60}}, .node_w = 5};
}

}  // namespace

TEST_CASE("energy: a rank that has finished is idle: 3 W for 2 s and 2 W for 3 s are 12 J") {
  Powered platform(1);
  const Schedule schedule = schedule_of_ranks({works(2, false), works(5, false)}, 2);
  const ReplayResult result = replay::replay(schedule, *platform);
  CHECK(result.total_s == Approx(5));
  CHECK(total_j(result) == Approx(3. * 2 + 2. * 3));
  CHECK(result.energy->idle_j == Approx(1. * 5));
  REQUIRE(result.ranks[0].phases_j.size() == 1);
  CHECK(result.ranks[0].phases_j[0] == Approx(1. * 2));
  CHECK(result.ranks[1].phases_j[0] == Approx(1. * 5));
}

TEST_CASE("energy: a rank that waits in a barrier polls, 15 J, or is idle, 12 J") {
  Powered platform(1);
  const Schedule schedule = schedule_of_ranks({works(2, true), works(5, true)}, 2);
  const ReplayResult busy = replay::replay(schedule, *platform, with(Waiting::busy));
  CHECK(total_j(busy) == Approx(3. * 5));
  CHECK(busy.ranks[0].phases_j[0] == Approx(1. * 2));
  CHECK(busy.ranks[0].phases_j[1] == Approx(1. * 3));
  const ReplayResult idle = replay::replay(schedule, *platform, with(Waiting::idle));
  CHECK(total_j(idle) == Approx(3. * 2 + 2. * 3));
  CHECK(idle.ranks[0].phases_j[1] == 0);
}

TEST_CASE("energy: what busy cores draw beyond idle is divided among their ranks") {
  Powered platform(1);
  platform.powers() = {.socket = {{0, 1}, {1, 3}, {2, 4}}};
  const Schedule schedule = schedule_of_ranks({works(2, false), works(5, false)}, 2);
  const ReplayResult result = replay::replay(schedule, *platform);
  CHECK(total_j(result) == Approx(4. * 2 + 3. * 3));
  CHECK(result.ranks[0].phases_j[0] == Approx((4. - 1) / 2 * 2));
  CHECK(result.ranks[1].phases_j[0] == Approx((4. - 1) / 2 * 2 + (3. - 1) * 3));
}

TEST_CASE("energy: between two powers of the table is a line") {
  const platform::Powers powers{.socket = {{0, 20}, {1, 43}, {2, 52}, {8, 88}}};
  CHECK(powers.socket_w(0) == 20);
  CHECK(powers.socket_w(1) == 43);
  CHECK(powers.socket_w(1.5) == Approx((43. + 52) / 2));
  CHECK(powers.socket_w(5) == Approx(52 + (88. - 52) * 3 / 6));
  CHECK(powers.socket_w(8) == 88);
}

TEST_CASE("energy: ranks fill one socket or are spread over two, and an empty socket counts or does not") {
  Powered platform(1);
  (*platform).sockets = 2;
  platform.powers().node_w = 10;
  const Schedule schedule = schedule_of_ranks({works(4, false), works(4, false)}, 2);
  ReplayOptions options;
  CHECK(total_j(replay::replay(schedule, *platform, options)) == Approx((3. + 1 + 10) * 4));
  options.energy.counted = CountedSockets::used;
  CHECK(total_j(replay::replay(schedule, *platform, options)) == Approx((3. + 10) * 4));
  options.energy.ranks_per_socket = 1;
  CHECK(total_j(replay::replay(schedule, *platform, options)) == Approx((2. + 2 + 10) * 4));
}

TEST_CASE("energy: a rank's threads are busy cores, on two sockets where one has too few") {
  Powered platform(1);
  (*platform).sockets = 2;
  Schedule schedule = schedule_of_ranks({works(4, false)}, 1);
  schedule.run.threads_per_rank = 3;
  const ReplayResult result = replay::replay(schedule, *platform);
  CHECK(result.total_s == Approx(4. / 3));
  CHECK(total_j(result) == Approx((3. + 2) * 4 / 3));
}

TEST_CASE("energy: more busy cores than the table knows are refused by name") {
  Powered platform(1);
  const Schedule schedule = schedule_of_ranks({works(4, false), works(4, false), works(4, false)}, 3);
  CHECK_THROWS_WITH(replay::replay(schedule, *platform), Contains("socket_power: 3 ranks x 1 thread"));
  (*platform).sockets = 2;
  ReplayOptions options;
  options.energy.ranks_per_socket = 1;
  CHECK_THROWS_WITH(replay::replay(schedule, *platform, options),
                    Contains("ranks per socket: 3 ranks on a node"));
  options.energy.ranks_per_socket = 3;
  CHECK_THROWS_WITH(replay::replay(schedule, *platform, options),
                    Contains("3 ranks x 1 thread on a socket of 2"));
}

TEST_CASE("energy: of nodes that a run does not use nothing is counted, and without powers there is none") {
  Powered platform(4);
  const Schedule schedule = schedule_of_ranks({works(4, false), works(4, false)}, 1);
  CHECK(total_j(replay::replay(schedule, *platform)) == Approx(2 * 2. * 4));
  (*platform).powers.reset();
  CHECK(!replay::replay(schedule, *platform).energy);
}

TEST_CASE("energy: a link draws more for as long as bytes take to cross it") {
  Powered platform(2);
  platform.powers().link = {.idle_w = 2, .busy_w = 5};
  const std::int64_t bytes = 3'000'000;  // 3 s at 1 MB/s
  const Schedule schedule = schedule_of_ranks(
      {one_region(regions::put, {blocking(transfer(TransferKind::put, 1, bytes))}), works(1, false)}, 1);
  const ReplayResult result = replay::replay(schedule, *platform);
  CHECK(result.total_s == Approx(3));
  // Each socket idle, a core for 3 s and one for 1 s; both links idle, and busy for 3 s.
  CHECK(total_j(result) == Approx(2 * 1. * 3 + 1. * 3 + 1. * 1 + 2 * 2. * 3 + 2 * (5. - 2) * 3));
}

TEST_CASE("energy: iterations that are not simulated count, whether waiting is busy or idle") {
  Powered platform(3, "3us");
  make_uneven(platform);
  platform.costs().message_overhead_s = 1e-3;
  platform.costs().local_latency_s = 2e-3;
  std::vector<Body> ranks;
  for (int rank = 0; rank < 12; ++rank) {
    Body& body = ranks.emplace_back(works(1 + rank % 3, true));
    body.begin_region(regions::send);
    body.add(transfer(TransferKind::receive, (rank + 7) % 12, 1'000'000));
    body.add(transfer(TransferKind::send, (rank + 5) % 12, 1'000'000));
    body.add_region(regions::wait, Complete::all());
  }
  const Schedule schedule = schedule_of_ranks(ranks, 4, 300);
  for (const Waiting waiting : {Waiting::busy, Waiting::idle}) {
    ReplayOptions options = with(waiting);
    const ReplayResult some = replay::replay(schedule, *platform, options);
    options.repeat_tolerance = 0;
    const ReplayResult all = replay::replay(schedule, *platform, options);
    REQUIRE(some.simulated_iterations < 300);
    REQUIRE(all.simulated_iterations == 300);
    CHECK(total_j(some) == Approx(total_j(all)).epsilon(1e-6));
    for (std::size_t rank = 0; rank < 12; ++rank)
      for (std::size_t p = 0; p < all.ranks[rank].phases_j.size(); ++p)
        CHECK(some.ranks[rank].phases_j[p] == Approx(all.ranks[rank].phases_j[p]).epsilon(1e-5).margin(1e-6));
    CHECK(of_ranks_j(all) + all.energy->idle_j == Approx(total_j(all)).epsilon(1e-12));
  }
}

TEST_CASE("energy: of a program whose loop is folded it is that of the whole program") {
  Powered platform(2);
  make_uneven(platform);
  std::vector<Calls> calls(6);
  for (std::size_t rank = 0; rank < calls.size(); ++rank) {
    for (int step = 0; step < 400; ++step)
      calls[rank].push_back({Collective{}, 0.01 * static_cast<double>(1 + rank % 3)});
    calls[rank].push_back(
        {Collective{.kind = CollectiveKind::allreduce, .element_bytes = 8, .size_bytes = 80'000}, 0.5});
  }
  const ListedPrograms programs(std::move(calls));
  for (const Waiting waiting : {Waiting::busy, Waiting::idle}) {
    ReplayOptions options = with(waiting);
    const ReplayResult folded = replay_programs(programs, *platform, options, 3);
    options.repeat_tolerance = 0;
    const ReplayResult whole = replay_programs(programs, *platform, options, 3);
    REQUIRE(!folded.loops.empty());
    REQUIRE(folded.loops[0].simulated < 400);
    REQUIRE(whole.loops.empty());
    CHECK(total_j(folded) == Approx(total_j(whole)).epsilon(1e-6));
  }
}

TEST_CASE("energy: SimGrid's host_energy says the same where the table has two powers") {
  Powered platform(4, "3us");
  (*platform).sockets = 2;
  platform.powers() = {.socket = {{0, 20}, {2, 89}}, .node_w = 7};
  platform.costs().message_overhead_s = 1e-3;
  platform.costs().local_latency_s = 2e-3;
  std::vector<Body> ranks;
  for (int rank = 0; rank < 14; ++rank) {
    Body& body = ranks.emplace_back(works(1 + rank % 5, false));
    body.begin_region(regions::put);
    body.add(blocking(transfer(TransferKind::put, (rank + 5) % 14, 500'000 + 1000 * rank)));
    if (rank % 2 == 0) body.add(transfer(TransferKind::send, rank + 1, 1000));
    if (rank % 2 == 1) body.add(transfer(TransferKind::receive, rank - 1, 1000));
    body.add_region(regions::wait, Complete::all());
    body.add_region(regions::barrier, Collective{});
    body.add_region(regions::compute, seconds(1 + rank % 3));
  }
  const Schedule schedule = schedule_of_ranks(ranks, 4, 3);
  for (const Waiting waiting : {Waiting::busy, Waiting::idle}) {
    for (const CountedSockets counted : {CountedSockets::used, CountedSockets::all}) {
      ReplayOptions options = with(waiting);
      options.energy.counted = counted;
      options.share_tolerance = 0;
      const ReplayResult own = replay::replay(schedule, *platform, options);
      options.one_flow_per_message = true;
      const ReplayResult simgrid = replay::replay(schedule, *platform, options);
      CHECK(own.total_s == Approx(simgrid.total_s).epsilon(1e-9));
      CHECK(total_j(own) == Approx(total_j(simgrid)).epsilon(1e-9));
      CHECK(own.energy->idle_j == Approx(simgrid.energy->idle_j).epsilon(1e-9));
    }
  }
}

TEST_CASE("energy: SimGrid tells none where its line does not go through all powers") {
  Powered platform(1);
  platform.powers() = {.socket = {{0, 1}, {1, 3}, {2, 4}}};
  ReplayOptions options;
  options.one_flow_per_message = true;
  CHECK(!replay::replay(schedule_of_ranks({works(2, false)}, 1), *platform, options).energy);
}
