// SPDX-License-Identifier: MIT
#pragma once

#include <array>

#include "kernels/run/clock.hpp"
#include "kernels/run/session.hpp"

namespace finegrain::micro {

/// Collective. Seconds that the slowest rank needs for some work, started by all at once.
template <class Work>
double slowest_seconds(const kernels::Session& session, Work work) {
  session.barrier();
  const std::int64_t start_ns = kernels::clock_ns();
  work();
  std::array<double, 1> seconds = {static_cast<double>(kernels::clock_ns() - start_ns) * 1e-9};
  session.maximize(seconds);
  return seconds[0];
}

}  // namespace finegrain::micro
