// SPDX-License-Identifier: MIT
#include "sim/platform/link_profiles.hpp"

#include <fmt/format.h>

#include <utility>

#include "sim/platform/platform_document.hpp"
#include "traces/io/input_error.hpp"

namespace finegrain::platform {

std::vector<LinkProfile> link_profiles(const PlatformDocument& document) {
  std::vector<LinkProfile> profiles;
  for (ConnectedProfile& connected : connected_profiles(document, {"BANDWIDTH", "LATENCY"})) {
    const bool is_bandwidth = connected.kind == "BANDWIDTH";
    for (const Profile::Point& point : connected.profile.points)
      if (point.value < 0 || (point.value == 0 && is_bandwidth))
        throw InputError(
            connected.trace_where,
            fmt::format("<trace id=\"{}\"> gives link {} a {} of {} at {} s", connected.trace,
                        connected.element, is_bandwidth ? "bandwidth" : "latency", point.value, point.at_s),
            "Give a bandwidth above 0, or a latency of at least 0");
    profiles.push_back({std::move(connected.element),
                        is_bandwidth ? LinkProfile::Kind::bandwidth : LinkProfile::Kind::latency,
                        std::move(connected.profile), std::move(connected.where)});
  }
  return profiles;
}

}  // namespace finegrain::platform
