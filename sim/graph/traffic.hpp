// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/problem/placement.hpp"
#include "sim/pattern/volume.hpp"
#include "traces/programs.hpp"

namespace finegrain::graph {

/// What reaches and leaves one rank in one iteration, whichever side posts it. "local": the other rank is on
/// the same node, or the rank itself (a copy of its own block is both in and out).
struct RankTraffic {
  pattern::Volume in_local;
  pattern::Volume in_remote;
  pattern::Volume out_local;
  pattern::Volume out_remote;

  friend bool operator==(const RankTraffic&, const RankTraffic&) = default;
};

/// Shape [ranks].
std::vector<RankTraffic> traffic_of(const Schedule& schedule, const problem::Placement& placement);
/// The same for block placement.
std::vector<RankTraffic> traffic_of(const Schedule& schedule);

}  // namespace finegrain::graph
