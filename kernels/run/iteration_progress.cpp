// SPDX-License-Identifier: MIT
#include "kernels/run/iteration_progress.hpp"

#include <fmt/format.h>

#include <cstdio>

#include "kernels/run/clock.hpp"

namespace finegrain::kernels {
namespace {

constexpr std::int64_t period_ns = 1'000'000'000;

}  // namespace

IterationProgress::IterationProgress(bool shown, std::int64_t iterations)
    : shown_(shown), iterations_(iterations), show_at_ns_(clock_ns() + period_ns) {}

IterationProgress::~IterationProgress() {
  if (shown_) std::fputs("\r\033[K", stderr);
}

void IterationProgress::show(std::int64_t now_ns) {
  show_at_ns_ = now_ns + period_ns;
  std::fputs(fmt::format("\riteration {}/{}", finished_, iterations_).c_str(), stderr);
  std::fflush(stderr);
}

}  // namespace finegrain::kernels
