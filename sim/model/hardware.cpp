// SPDX-License-Identifier: MIT
#include "sim/model/hardware.hpp"

#include <algorithm>

namespace finegrain {

Hardware hardware_of(const Run& run, const PlatformCosts& costs) {
  const int busy_ranks = std::min(run.ranks, run.ranks_per_node);
  return {costs, private_bandwidth_bytes_per_s(costs, busy_ranks, run.threads_per_rank)};
}

double memory_s(double bytes, const Hardware& hardware) {
  return bytes / hardware.private_bandwidth_bytes_per_s;
}

double remote_messages_s(std::int64_t messages, double bytes, const Hardware& hardware) {
  if (messages == 0) return 0;
  return static_cast<double>(messages) * hardware.costs.tau() + bytes / hardware.costs.remote_bandwidth();
}

}  // namespace finegrain
