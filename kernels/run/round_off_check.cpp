// SPDX-License-Identifier: MIT
#include "kernels/run/round_off_check.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <limits>

namespace finegrain::kernels {

void RoundOffCheck::compare(std::span<const double> ours, std::span<const double> expected) {
  assert(ours.size() == expected.size());
  for (std::size_t i = 0; i < ours.size(); ++i) {
    finite_ = finite_ && std::isfinite(ours[i]) && std::isfinite(expected[i]);
    difference_ = std::max(difference_, std::abs(ours[i] - expected[i]));
    magnitude_ = std::max(magnitude_, std::abs(expected[i]));
  }
}

CheckResult RoundOffCheck::finish(const Session& session) const {
  std::array<double, 3> largest = {difference_, magnitude_, finite_ ? 0.0 : 1.0};
  session.maximize(largest);
  const auto [difference, magnitude, not_finite] = largest;
  if (not_finite != 0.0) return {std::numeric_limits<double>::infinity(), false};
  if (difference == 0.0) return {0.0, true};
  const double relative = difference / std::max(magnitude, std::numeric_limits<double>::min());
  return {relative, relative <= tolerance};
}

}  // namespace finegrain::kernels
