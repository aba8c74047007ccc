// SPDX-License-Identifier: MIT
#include "kernels/run/clock.hpp"

#include <chrono>

namespace finegrain::kernels {

std::int64_t clock_ns() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::nanoseconds>(now).count();
}

void advance_clock_by_work(std::int64_t) {}

}  // namespace finegrain::kernels
