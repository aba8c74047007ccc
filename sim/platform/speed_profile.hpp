// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/platform/profile.hpp"

namespace finegrain::platform {

/// How the speed of a host changes during the run: its full speed, times a factor that is 1 before the first
/// point of the profile. While the factor is 0, the host stands still.
class SpeedProfile {
 public:
  /// @throws InputError if a factor is negative, or the host stands still for ever
  explicit SpeedProfile(ConnectedProfile connected);

  const std::string& host() const { return connected_.element; }
  const Profile& factors() const { return connected_.profile; }
  /// "file:line" of the <trace_connect>
  const std::string& where() const { return connected_.where; }

  /// How fast the host is from a time on, and until when; infinite: for ever.
  struct Stretch {
    double factor;
    double until_s;
  };
  Stretch stretch_at(double at_s) const;

  /// When work ends that begins at a time and takes so long at full speed.
  double end_s(double start_s, double work_s) const;

 private:
  /// The first change after a time.
  std::int64_t next_change(double at_s) const;
  double factor_before(std::int64_t change) const {
    return change == 0 ? 1 : connected_.profile.value(change - 1);
  }

  ConnectedProfile connected_;
  double period_work_s_ = 0;  ///< what a period does, in seconds at full speed
};

/// The profiles of hosts' speeds in a platform.
/// @throws InputError as connected_profiles() and SpeedProfile, or if a host has two
std::vector<SpeedProfile> speed_profiles(const PlatformDocument& document);

}  // namespace finegrain::platform
