// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

namespace finegrain::kernels {

/// Nanoseconds on this rank's clock, which never goes back. Ranks on different nodes started theirs at
/// different times.
std::int64_t clock_ns();

/// Called when a rank has moved this many bytes over its node's memory. In a real run, time has then passed
/// already, and this does nothing. Under SMPI (kernels/smpi/clock.cpp), only this call makes time pass.
void advance_clock_by_work(std::int64_t memory_bytes);

}  // namespace finegrain::kernels
