// SPDX-License-Identifier: MIT
#include "sim/platform/speed_profile.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "sim/platform/platform_document.hpp"
#include "traces/io/input_error.hpp"

namespace finegrain::platform {
namespace {

/// Work that is shorter is done: it is left over by rounding.
double least_work_s(double at_s) {
  return 1e-12 + 1e-15 * at_s;
}

[[noreturn]] void refuse_factors(const ConnectedProfile& connected, const std::string& what) {
  throw InputError(
      connected.trace_where,
      fmt::format("<trace id=\"{}\"> gives host {} {}", connected.trace, connected.element, what),
      "Give parts of its full speed, e.g. 0.5; 0 for a while that ends");
}

}  // namespace

SpeedProfile::SpeedProfile(ConnectedProfile connected) : connected_(std::move(connected)) {
  const Profile& profile = connected_.profile;
  for (const Profile::Point& point : profile.points)
    if (point.value < 0)
      refuse_factors(connected_, fmt::format("the factor {} at {} s", point.value, point.at_s));
  if (profile.period_s > 0) {
    // From the first point of the first period to that of the second.
    const auto points = static_cast<std::int64_t>(profile.points.size());
    for (std::int64_t point = 0; point < points; ++point)
      period_work_s_ += profile.value(point) * (profile.at_s(point + 1) - profile.at_s(point));
    if (!(period_work_s_ > 0)) refuse_factors(connected_, "the factor 0 in all of its period");
  } else if (profile.points.back().value == 0) {
    refuse_factors(connected_, fmt::format("the factor 0 from {} s on", profile.points.back().at_s));
  }
}

std::int64_t SpeedProfile::next_change(double at_s) const {
  const Profile& profile = connected_.profile;
  const double periods = profile.period_s > 0 ? std::floor(at_s / profile.period_s) : 0;
  const auto later =
      std::ranges::upper_bound(profile.points, at_s - periods * profile.period_s, {}, &Profile::Point::at_s);
  auto change = static_cast<std::int64_t>(periods) * static_cast<std::int64_t>(profile.points.size()) +
                (later - profile.points.begin());
  // The quotient is rounded.
  while (change > 0 && profile.at_s(change - 1) > at_s)
    --change;
  while (profile.at_s(change) <= at_s)
    ++change;
  return change;
}

SpeedProfile::Stretch SpeedProfile::stretch_at(double at_s) const {
  const std::int64_t change = next_change(at_s);
  return {factor_before(change), connected_.profile.at_s(change)};
}

double SpeedProfile::end_s(double start_s, double work_s) const {
  const Profile& profile = connected_.profile;
  double now_s = start_s;
  bool in_periods = false;
  for (std::int64_t change = next_change(start_s); work_s > least_work_s(now_s); ++change) {
    const double factor = factor_before(change);
    const double until_s = profile.at_s(change);
    const double done_s = factor * (until_s - now_s);
    if (factor > 0 && done_s >= work_s - least_work_s(now_s))
      return std::min(until_s, now_s + work_s / factor);
    work_s -= done_s;
    now_s = until_s;
    if (profile.period_s <= 0 || in_periods) continue;
    // From a change of the profile on, whole periods are passed over at one stroke; some work is left.
    in_periods = true;
    constexpr double very_many = 1e12;
    const double periods = std::max(0., std::ceil((work_s - least_work_s(now_s)) / period_work_s_) - 1);
    if (periods > very_many) return now_s + work_s / period_work_s_ * profile.period_s;
    change += static_cast<std::int64_t>(periods) * static_cast<std::int64_t>(profile.points.size());
    now_s = profile.at_s(change);
    work_s -= periods * period_work_s_;
  }
  return now_s;
}

std::vector<SpeedProfile> speed_profiles(const PlatformDocument& document) {
  std::vector<SpeedProfile> profiles;
  std::set<std::string> hosts;
  for (ConnectedProfile& connected : connected_profiles(document, {"SPEED"})) {
    if (!hosts.insert(connected.element).second)
      throw InputError(connected.where,
                       fmt::format("host {} has two profiles of its speed", connected.element),
                       "Leave one of them out");
    profiles.emplace_back(std::move(connected));
  }
  return profiles;
}

}  // namespace finegrain::platform
