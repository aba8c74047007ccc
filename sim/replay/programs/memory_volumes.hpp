// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>

#include "sim/platform/platform.hpp"
#include "traces/operation.hpp"

namespace finegrain::replay {

// What operations move over a node's memory, in bytes.

/// Each scattered store reads its cache line first, and so does a copy, unless the processor avoids it.
inline double work_volume(const Work& work, const platform::PlatformCosts& costs) {
  return static_cast<double>(work.memory_bytes) +
         static_cast<double>(work.scattered_stores) * costs.write_allocate_bytes +
         static_cast<double>(work.copied_bytes) / costs.cache_line_bytes * costs.copy_allocate_bytes;
}

/// A message within the node: one rank loads and stores, the factor of 2 of eqs. (11) and (13).
inline double copy_volume(double bytes, const platform::PlatformCosts& costs) {
  return 2 * bytes + bytes / costs.cache_line_bytes * costs.copy_allocate_bytes;
}

/// Eq. (9): a scattered access within the node moves a whole cache line. What is larger is copied, as eq.
/// (11) has it.
inline double element_volume(double bytes, const platform::PlatformCosts& costs) {
  return std::max(costs.cache_line_bytes, 2 * bytes);
}

/// A put or get within the node. An accumulate loads both operands and stores their sum; a fetch also stores
/// what was there before.
inline double one_sided_volume(TransferKind kind, double bytes, const platform::PlatformCosts& costs) {
  if (kind == TransferKind::fetch) return 4 * bytes;
  if (kind == TransferKind::accumulate) return 3 * bytes;
  return copy_volume(bytes, costs);
}

}  // namespace finegrain::replay
