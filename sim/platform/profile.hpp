// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace pugi {
class xml_node;
}

namespace finegrain::platform {

class PlatformDocument;

/// A number that changes during the run, as a <trace> of the platform file gives it.
struct Profile {
  struct Point {
    double at_s;
    double value;
  };

  std::vector<Point> points;  ///< ascending, at least one
  double period_s = 0;        ///< after which the points come again; 0: never

  /// When the change of that number happens, counted from 0; infinite: there are fewer.
  double at_s(std::int64_t change) const;
  /// The last change that has happened by then; -1: none has.
  std::int64_t last_until(double time_s) const;
  double value(std::int64_t change) const {
    return points[static_cast<std::size_t>(change) % points.size()].value;
  }
};

/// A <trace_connect>: what follows a profile.
struct ConnectedProfile {
  std::string kind;     ///< e.g. "BANDWIDTH"
  std::string element;  ///< as the file names it
  Profile profile;
  std::string trace;        ///< the id of the <trace>
  std::string where;        ///< "file:line" of the <trace_connect>
  std::string trace_where;  ///< "file:line" of the <trace>
};

/// What a <trace_connect> changes, e.g. "BANDWIDTH".
std::string kind_of_profile(const pugi::xml_node& connect);

/// The profiles of some kinds, in the order of the file.
/// @throws InputError with file and line: a profile that is drawn at random, or that cannot be read
std::vector<ConnectedProfile> connected_profiles(const PlatformDocument& document,
                                                 std::initializer_list<std::string_view> kinds);

/// Checks that a replay follows all profiles of a platform.
/// @throws InputError with file and line: a profile of anything but a link's bandwidth or latency, or a
/// host's speed
void check_all_are_followed(const std::filesystem::path& file);

}  // namespace finegrain::platform
