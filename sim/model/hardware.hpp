// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "kernels/problem/placement.hpp"
#include "sim/platform/platform.hpp"
#include "traces/run.hpp"

namespace finegrain::model {

// The papers' sizeof(double) and sizeof(int): an element of x, and a column index.
inline constexpr double sizeof_double = 8;
inline constexpr double sizeof_int = 4;

/// The four parameters that the closed form knows of a machine (section 5.4), for one run: tau and W_remote
/// in `costs`.
struct Hardware {
  platform::PlatformCosts costs;
  double private_bandwidth_bytes_per_s = 0;  ///< W_private of every rank; W_local is taken to be the same
};

/// W_private is the same for all ranks: a rank's share on the fullest node, even if the last node holds fewer
/// ranks.
Hardware hardware_of(const Run& run, const problem::Placement& placement,
                     const platform::PlatformCosts& costs);

}  // namespace finegrain::model
