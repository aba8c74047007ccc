// SPDX-License-Identifier: MIT
#include "sim/replay/replay_in_turn.hpp"

#include <cassert>

#include "kernels/problem/placement.hpp"
#include "sim/replay/engine/flow_simulation.hpp"
#include "sim/replay/loaded_platform.hpp"

namespace finegrain::replay {

ReplayInTurn::ReplayInTurn(const platform::Platform& platform)
    : loaded_(std::make_unique<LoadedPlatform>(platform.file)) {}

ReplayInTurn::~ReplayInTurn() = default;

ReplayResult ReplayInTurn::replay(const Schedule& schedule, const platform::Platform& platform,
                                  const ReplayOptions& options, const problem::Placement& placement) {
  assert(!options.one_flow_per_message && !platform.changes_over_time);
  assert(placement.nodes() <= loaded_->nodes());
  return simulate_flows(*loaded_, {.schedule = &schedule, .platform = &platform, .placement = &placement},
                        options);
}

}  // namespace finegrain::replay
