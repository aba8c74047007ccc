// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>

#include "sim/replay/loaded_platform.hpp"
#include "sim/replay/programs/steps.hpp"
#include "sim/replay/replay.hpp"

namespace finegrain::replay {

/// Is told what a simulation does, as it happens.
class Observer {
 public:
  virtual ~Observer() = default;
  virtual void iteration_began(std::size_t /*rank*/) {}
  /// The rank is at it until it is done.
  virtual void step_began(std::size_t /*rank*/, const Step& /*step*/, double /*now_s*/) {}
  /// The rank goes on.
  virtual void step_done(std::size_t /*rank*/, const Step& /*step*/, double /*now_s*/) {}
  /// Before the region's last step is done. @param place  of the region, in RankReplay::phases_s
  /// @param so_far  of the rank, in all its iterations: an observer may add what it knows
  virtual void region_ended(std::size_t /*rank*/, std::uint32_t /*place*/, double /*now_s*/,
                            RankReplay& /*so_far*/) {}
  /// It has nothing more to do.
  virtual void rank_finished(std::size_t /*rank*/, double /*now_s*/) {}
  /// The rank's next step starts a flow, or an earlier one did: its offer is taken only now.
  /// @param flow  a number that no other flow has until this one has ended
  virtual void flow_started(std::size_t /*rank*/, std::uint32_t /*flow*/,
                            const LoadedPlatform::Route& /*route*/, double /*bytes*/, bool /*is_offer*/) {}
  /// A message that was offered has left its sender, and is the receiver's latency (Step::amount) from being
  /// there. @param message  its number among those of the connection, from 0
  virtual void offer_ended(std::size_t /*connection*/, std::int64_t /*message*/, double /*at_s*/) {}
  virtual void flow_ended(std::size_t /*rank*/, std::uint32_t /*flow*/, double /*now_s*/) {}
};

}  // namespace finegrain::replay
