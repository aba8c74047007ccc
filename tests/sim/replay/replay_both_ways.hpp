// SPDX-License-Identifier: MIT
#pragma once

#include <catch2/catch.hpp>

#include "sim/replay/replay.hpp"

namespace finegrain {

/// Replays with messages of one route as one flow, and again with a flow of SimGrid's each; fails the test
/// where a time differs by more than rounding: 1e-12 s, the clock's resolution, an iteration. @returns the
/// former
inline replay::ReplayResult replay_both_ways(const Schedule& schedule, const platform::Platform& platform,
                                             replay::ReplayOptions options = {}) {
  const replay::ReplayResult result = replay::replay(schedule, platform, options);
  options.one_flow_per_message = true;
  const replay::ReplayResult reference = replay::replay(schedule, platform, options);
  const double margin_s = 1e-11 + 1e-12 * static_cast<double>(schedule.run.iterations);
  const auto same = [&](double seconds) { return Approx(seconds).epsilon(1e-9).margin(margin_s); };
  CHECK(result.total_s == same(reference.total_s));
  CHECK(result.flows == reference.flows);
  CHECK(result.simulated_iterations == reference.simulated_iterations);
  REQUIRE(result.ranks.size() == reference.ranks.size());
  for (std::size_t rank = 0; rank < result.ranks.size(); ++rank) {
    CHECK(result.ranks[rank].finish_s == same(reference.ranks[rank].finish_s));
    REQUIRE(result.ranks[rank].phases_s.size() == reference.ranks[rank].phases_s.size());
    for (std::size_t p = 0; p < result.ranks[rank].phases_s.size(); ++p)
      CHECK(result.ranks[rank].phases_s[p] == same(reference.ranks[rank].phases_s[p]));
  }
  return result;
}

}  // namespace finegrain
