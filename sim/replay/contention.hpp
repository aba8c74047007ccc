// SPDX-License-Identifier: MIT
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <vector>

#include "sim/replay/replay.hpp"

namespace finegrain::replay {

/// Bytes that a rank has moved over the network: those of its messages, puts and gets between two nodes.
struct Traffic {
  std::int32_t rank = 0;  ///< that posted them
  std::int32_t from = 0;  ///< node
  std::int32_t to = 0;

  friend auto operator<=>(const Traffic&, const Traffic&) = default;
};

/// Which traffic was slowed on which link, and by whom.
struct Contention {
  std::string region;  ///< in which the rank posted it
  std::string link;    ///< the most crowded of its way meanwhile: others used it longest, for its bandwidth
  Traffic slowed;
  Traffic rival;      ///< that used this link longest at the same time
  double late_s = 0;  ///< how much later it was there than alone, all messages of these together
};

/// Replays a program in full, and finds what shared links. Both directions of a region, link and pair of
/// traffics are one entry each; the greatest delay is first.
/// @throws InputError as replay_all() does, and of a platform that changes over time
std::vector<Contention> replay_contention(const ReplayJob& job, const ReplayOptions& options = {});

}  // namespace finegrain::replay
