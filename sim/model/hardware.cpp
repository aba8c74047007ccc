// SPDX-License-Identifier: MIT
#include "sim/model/hardware.hpp"

namespace finegrain {

Hardware hardware_of(const Run& run, const Placement& placement, const PlatformCosts& costs) {
  return {costs,
          private_bandwidth_bytes_per_s(costs, placement.most_ranks_on_a_node(), run.threads_per_rank)};
}

double memory_s(double bytes, const Hardware& hardware) {
  return bytes / hardware.private_bandwidth_bytes_per_s;
}

double remote_messages_s(std::int64_t messages, double bytes, const Hardware& hardware) {
  if (messages == 0) return 0;
  return static_cast<double>(messages) * hardware.costs.tau() + bytes / hardware.costs.remote_bandwidth();
}

}  // namespace finegrain
