// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

namespace finegrain {

/// Nanoseconds on this rank's clock, which never goes back. Ranks on different nodes started theirs at
/// different times.
std::int64_t clock_ns();

}  // namespace finegrain
