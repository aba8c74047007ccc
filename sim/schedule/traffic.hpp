// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/problem/placement.hpp"
#include "traces/programs.hpp"

namespace finegrain {

/// Messages, repeats counted, and their bytes.
struct Volume {
  std::int64_t messages = 0;
  std::int64_t bytes = 0;

  Volume& operator+=(const Volume& other) {
    messages += other.messages;
    bytes += other.bytes;
    return *this;
  }
  friend bool operator==(const Volume&, const Volume&) = default;
};

/// What reaches and leaves one rank in one iteration, whichever side posts it. "local": the other rank is on
/// the same node, or the rank itself (a copy of its own block is both in and out).
struct RankTraffic {
  Volume in_local;
  Volume in_remote;
  Volume out_local;
  Volume out_remote;

  friend bool operator==(const RankTraffic&, const RankTraffic&) = default;
};

/// Shape [ranks].
std::vector<RankTraffic> traffic_of(const Schedule& schedule, const Placement& placement);
/// Of block placement.
std::vector<RankTraffic> traffic_of(const Schedule& schedule);

}  // namespace finegrain
