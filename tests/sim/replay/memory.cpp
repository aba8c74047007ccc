// SPDX-License-Identifier: MIT
#include <algorithm>
#include <catch2/catch.hpp>

#include "replay_both_ways.hpp"
#include "small_platform.hpp"

using namespace finegrain;
using namespace finegrain::replay;

TEST_CASE("memory: a rank alone on its node gets one core's bandwidth") {
  SmallPlatform platform(switched(1));
  const auto result =
      replay_both_ways(schedule_of_ranks({one_region(regions::compute, Work{6'000'000'000})}, 16), *platform);
  CHECK(result.total_s == Approx(6. / 12).epsilon(1e-9));
}

TEST_CASE("memory: a rank of four threads gets four cores' bandwidth, one of eight the node's") {
  SmallPlatform platform(switched(1));
  Schedule schedule = schedule_of_ranks({one_region(regions::pack, Work{6'000'000'000})}, 1);
  schedule.run.threads_per_rank = 4;
  CHECK(replay_both_ways(schedule, *platform).total_s == Approx(6. / (4 * 12)).epsilon(1e-9));
  schedule.run.threads_per_rank = 8;
  CHECK(replay_both_ways(schedule, *platform).total_s == Approx(6. / 75).epsilon(1e-9));
}

TEST_CASE("memory: when half of 16 ranks have finished, the others speed up") {
  SmallPlatform platform(switched(1));
  std::vector<Body> ranks;
  for (int rank = 0; rank < 16; ++rank)
    ranks.push_back(one_region(regions::compute, Work{rank < 8 ? 1'000'000'000 : 2'000'000'000}));
  const auto result = replay_both_ways(schedule_of_ranks(ranks, 16), *platform);
  for (int rank = 0; rank < 8; ++rank)
    CHECK(result.ranks[static_cast<std::size_t>(rank)].finish_s == Approx(16 * 1. / 75).epsilon(1e-9));
  for (int rank = 8; rank < 16; ++rank) {
    CHECK(result.ranks[static_cast<std::size_t>(rank)].finish_s ==
          Approx(16 * 1. / 75 + 8 * 1. / 75).epsilon(1e-9));
  }
}

TEST_CASE("memory: ranks on one core share its rate, after what it gains by having several") {
  SmallPlatform platform(switched(2));
  platform.costs().hardware_threads = {.cores = 4, .of_core = 4, .gains = {{1, 1.0}, {2, 1.1}, {4, 1.0}}};
  const auto seconds = [&](int ranks, int threads) {
    const Body work = one_region(regions::compute, Work{6'000'000'000});
    Schedule schedule = schedule_of_ranks(std::vector<Body>(static_cast<std::size_t>(ranks), work), 16);
    schedule.run.threads_per_rank = threads;
    return replay_both_ways(schedule, *platform);
  };
  CHECK(seconds(4, 1).total_s == Approx(6. / 12).epsilon(1e-9));
  CHECK(seconds(8, 1).total_s == Approx(6. / (12 * 1.1 / 2)).epsilon(1e-9));
  CHECK(seconds(5, 1).total_s == Approx(6. / (12 * 1.1 / 2)).epsilon(1e-9));  // one core has two
  CHECK(seconds(16, 1).total_s == Approx(6. / (12 * 1.0 / 4)).epsilon(1e-9));
  CHECK(seconds(4, 2).total_s == Approx(6. / (2 * 12 * 1.1 / 2)).epsilon(1e-9));
  // The last 4 of 20 ranks are on a node of their own, with a core each.
  const auto on_two_nodes = seconds(20, 1);
  CHECK(on_two_nodes.ranks[0].finish_s == Approx(6. / (12 * 1.0 / 4)).epsilon(1e-9));
  CHECK(on_two_nodes.ranks[19].finish_s == Approx(6. / 12).epsilon(1e-9));
}

TEST_CASE("memory: ranks on different nodes do not share it") {
  SmallPlatform platform(switched(2));
  const Body work = one_region(regions::unpack, Work{1'000'000'000});
  const std::vector<Body> ranks(16, work);
  CHECK(replay_both_ways(schedule_of_ranks(ranks, 16), *platform).total_s ==
        Approx(16 * 1. / 75).epsilon(1e-9));
  CHECK(replay_both_ways(schedule_of_ranks(ranks, 8), *platform).total_s ==
        Approx(8 * 1. / 75).epsilon(1e-9));
}

TEST_CASE("memory domains: 8 ranks on one of two take twice as long as 4 + 4, where memory saturates") {
  SmallPlatform platform(switched(1));
  (*platform).memory_domains = 2;
  const Schedule schedule =
      schedule_of_ranks(std::vector<Body>(8, one_region(regions::compute, Work{1'000'000'000})), 8);
  ReplayOptions options;
  // A domain has half of the node's 75 GB/s, and a rank gets 12 at most.
  const double spread_s = 1 / (75. / 2 / 4);
  CHECK(replay_both_ways(schedule, *platform, options).total_s == Approx(spread_s).epsilon(1e-9));
  options.energy.ranks_per_socket = 4;
  CHECK(replay_both_ways(schedule, *platform, options).total_s == Approx(spread_s).epsilon(1e-9));
  options.energy.ranks_per_socket = 8;
  CHECK(replay_both_ways(schedule, *platform, options).total_s == Approx(2 * spread_s).epsilon(1e-9));
}

TEST_CASE("memory domains: a message between two goes half over each, and within one over it alone") {
  using enum TransferKind;
  SmallPlatform platform(switched(1));
  (*platform).memory_domains = 2;
  // 3 GB are 6 GB loaded and stored, by ranks 0 and 1, to 2 and 3: ranks 0 and 2 are of different domains.
  const std::int64_t bytes = 3'000'000'000;
  const auto exchanges = [&](TransferKind kind, int peer) {
    return one_region(regions::send, {transfer(kind, peer, bytes)})
        .add_region(regions::wait, Complete::all());
  };
  platform.costs().memory_bandwidth_per_core_bytes_per_s = 100e9;
  const auto across = schedule_of_ranks({exchanges(send, 2), idle(), exchanges(receive, 0), idle()}, 4);
  CHECK(replay_both_ways(across, *platform).total_s == Approx(6 / 37.5).epsilon(1e-9));
  // While rank 3 uses its domain: 3 GB alone on domain 0; then 3 GB at half of domain 1, of which rank 3 has
  // 6 - 3 GB left then.
  auto beside = across;
  beside.ranks[3] = one_region(regions::compute, Work{6'000'000'000});
  CHECK(replay_both_ways(beside, *platform).total_s == Approx((3 + 2 * 3) / 37.5).epsilon(1e-9));
  const auto within = schedule_of_ranks({exchanges(send, 1), exchanges(receive, 0), idle(), idle()}, 4);
  CHECK(replay_both_ways(within, *platform).total_s == Approx(6 / 37.5).epsilon(1e-9));
  // Each end of a load has half of its 64 B, however many domains there are.
  const auto loads = schedule_of_ranks(
      {one_region(regions::compute, {transfer(load, 2, 8, 1'000'000)}), idle(), idle(), idle()}, 4);
  CHECK(replay_both_ways(loads, *platform).total_s == Approx(64e6 / 37.5e9).epsilon(1e-9));
}

TEST_CASE("memory domains: sockets are filled where their cores are known, and no rank is on two") {
  SmallPlatform platform(switched(1));
  (*platform).memory_domains = 2;
  (*platform).sockets = 2;
  (*platform).powers = platform::Powers{.socket = {{0, 1}, {8, 2}}};
  Schedule schedule =
      schedule_of_ranks(std::vector<Body>(8, one_region(regions::compute, Work{1'000'000'000})), 8);
  CHECK(replay::replay(schedule, *platform).total_s == Approx(8 / 37.5).epsilon(1e-9));
  schedule = schedule_of_ranks({one_region(regions::compute, Work{1'000'000'000})}, 1);
  schedule.run.threads_per_rank = 16;
  CHECK_THROWS_WITH(replay::replay(schedule, *platform),
                    Catch::Contains("memory_domains: 1 rank x 16 threads"));
  (*platform).powers.reset();
  CHECK_THROWS_WITH(replay::replay(schedule, *platform),
                    Catch::Contains("memory_domains: 1 rank x 16 threads"));
}

TEST_CASE("memory domains: by turns, consecutive ranks are on different ones") {
  SmallPlatform platform(switched(1));
  (*platform).memory_domains = 2;
  const Body works = one_region(regions::compute, Work{1'000'000'000});
  std::vector<Body> ranks(8, idle());
  std::fill(ranks.begin(), ranks.begin() + 4, works);
  ReplayOptions options;
  // In equal parts, ranks 0 to 3 share one domain of 37.5 GB/s.
  CHECK(replay_both_ways(schedule_of_ranks(ranks, 8), *platform, options).total_s ==
        Approx(4 / 37.5).epsilon(1e-9));
  // By turns, two are on each, and a rank gets 12 GB/s at most.
  options.energy.sockets_in_turn = true;
  CHECK(replay_both_ways(schedule_of_ranks(ranks, 8), *platform, options).total_s ==
        Approx(1. / 12).epsilon(1e-9));
  // Where the cores of sockets are known, 8 ranks would fill the first of two.
  (*platform).sockets = 2;
  (*platform).powers = platform::Powers{.socket = {{0, 1}, {8, 2}}};
  const Schedule all = schedule_of_ranks(std::vector<Body>(8, works), 8);
  CHECK(replay::replay(all, *platform, options).total_s == Approx(4 / 37.5).epsilon(1e-9));
  options.energy.sockets_in_turn = false;
  CHECK(replay::replay(all, *platform, options).total_s == Approx(8 / 37.5).epsilon(1e-9));
  options.energy.sockets_in_turn = true;
  Schedule wide = schedule_of_ranks(std::vector<Body>(3, works), 3);
  wide.run.threads_per_rank = 5;  // two ranks on the first socket
  CHECK_THROWS_WITH(replay::replay(wide, *platform, options),
                    Catch::Contains("--map-by socket: 2 ranks x 5 threads on a socket of 8 cores"));
}

TEST_CASE("durations: recorded seconds are replayed instead of volumes, whatever the node's memory") {
  SmallPlatform platform(switched(1));
  const Schedule schedule = schedule_of_ranks(
      {one_region(regions::compute, Work{6'000'000'000}), one_region(regions::compute, Work{6'000'000'000})},
      2);
  const PhaseDurations durations{{0.125}, {0.5}};
  const auto result = replay_all({{&schedule, &*platform, &durations}}, 1).front();
  CHECK(result.ranks[0].finish_s == Approx(0.125).epsilon(1e-9));
  CHECK(result.ranks[1].phases_s[0] == Approx(0.5).epsilon(1e-9));
}
