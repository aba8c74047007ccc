// SPDX-License-Identifier: MIT
#include "sim/model/hardware.hpp"

namespace finegrain::model {

Hardware hardware_of(const Run& run, const problem::Placement& placement,
                     const platform::PlatformCosts& costs) {
  return {costs,
          private_bandwidth_bytes_per_s(costs, placement.most_ranks_on_a_node(), run.threads_per_rank)};
}

}  // namespace finegrain::model
