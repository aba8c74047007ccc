// SPDX-License-Identifier: MIT
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

TEST_CASE("memory: ranks on different nodes do not share it") {
  SmallPlatform platform(switched(2));
  const Body work = one_region(regions::unpack, Work{1'000'000'000});
  const std::vector<Body> ranks(16, work);
  CHECK(replay_both_ways(schedule_of_ranks(ranks, 16), *platform).total_s ==
        Approx(16 * 1. / 75).epsilon(1e-9));
  CHECK(replay_both_ways(schedule_of_ranks(ranks, 8), *platform).total_s ==
        Approx(8 * 1. / 75).epsilon(1e-9));
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
