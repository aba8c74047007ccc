// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace finegrain::platform {

class PlatformDocument;

/// How the bandwidth or the latency of a link changes during the run: a <trace> of the platform file, and the
/// <trace_connect> that names its link.
struct LinkProfile {
  enum class Kind : std::uint8_t { bandwidth, latency };
  struct Point {
    double at_s;
    double value;  ///< bytes a second, or seconds
  };

  std::string link;  ///< as the file names it; of SPLITDUPLEX, both directions
  Kind kind;
  std::vector<Point> points;  ///< ascending, at least one
  double period_s = 0;        ///< after which the points come again; 0: never
  std::string where;          ///< "file:line" of the <trace_connect>

  /// When the change of that number happens, counted from 0; infinite: there are fewer.
  double at_s(std::int64_t change) const;
  double value(std::int64_t change) const {
    return points[static_cast<std::size_t>(change) % points.size()].value;
  }
};

/// The profiles of links in a platform, with the meaning that they have in SimGrid 3.32. Those of anything
/// else are left to check_all_are_followed().
/// @throws InputError with file and line: a profile that is drawn at random, or that cannot be read
std::vector<LinkProfile> link_profiles(const PlatformDocument& document);

}  // namespace finegrain::platform
