// SPDX-License-Identifier: MIT
#pragma once

namespace finegrain::replay {

/// SimGrid merges events closer together than this, and lets no activity be shorter (its surf/precision).
inline constexpr double clock_resolution_s = 1e-12;

}  // namespace finegrain::replay
