// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/platform/profile.hpp"

namespace finegrain::platform {

/// How the bandwidth or the latency of a link changes during the run.
struct LinkProfile {
  enum class Kind : std::uint8_t { bandwidth, latency };

  std::string link;  ///< as the file names it; of SPLITDUPLEX, both directions
  Kind kind;
  Profile profile;    ///< in bytes a second, or in seconds
  std::string where;  ///< "file:line" of the <trace_connect>
};

/// The profiles of links in a platform, with the meaning that they have in SimGrid 3.32.
/// @throws InputError as connected_profiles(), or if a link is given a number that it cannot have
std::vector<LinkProfile> link_profiles(const PlatformDocument& document);

}  // namespace finegrain::platform
