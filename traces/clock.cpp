// SPDX-License-Identifier: MIT
#include "traces/clock.hpp"

#include <cmath>

namespace finegrain {
namespace {

/// Clock values come from files: they wrap instead of overflowing.
std::int64_t difference(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) - static_cast<std::uint64_t>(b));
}
std::int64_t sum(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}

/// Two crystals differ by some 100 ns a ms; more than this is the error of two measurements made in quick
/// succession.
constexpr double largest_drift = 0.5;

}  // namespace

ClockMap::ClockMap(const ClockOffset& start, const std::optional<ClockOffset>& end) : start_(start) {
  if (!end || end->at_ns == start.at_ns) return;
  const double drift = static_cast<double>(difference(end->offset_ns, start.offset_ns)) /
                       static_cast<double>(difference(end->at_ns, start.at_ns));
  if (std::abs(drift) <= largest_drift) drift_ = drift;
}

std::int64_t ClockMap::to_rank0_ns(std::int64_t time_ns) const {
  const double change_ns = drift_ * static_cast<double>(difference(time_ns, start_.at_ns));
  return sum(time_ns, sum(start_.offset_ns, std::llround(change_ns)));
}

}  // namespace finegrain
