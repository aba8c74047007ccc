// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

namespace finegrain::kernels {

/// Nanoseconds on this rank's clock, which never goes back. Ranks on different nodes started theirs at
/// different times.
std::int64_t clock_ns();

/// Called when a rank has moved so many bytes over its node's memory. Real time has passed by then, and this
/// does nothing; kernels/smpi has its own clock.cpp, in which only this makes it pass.
void advance_clock_by_work(std::int64_t memory_bytes);

}  // namespace finegrain::kernels
