// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>

#include "sim/replay/loaded_platform.hpp"
#include "sim/replay/programs/steps.hpp"
#include "sim/replay/replay.hpp"

namespace finegrain::replay {

struct StartedFlow {
  std::uint32_t number;  ///< no other flow has it until this one has ended
  const LoadedPlatform::Route& route;
  double bytes;
  double alone_s;  ///< how long it takes if nothing else is on the way
  /// Whether an earlier step of the rank started it, and it goes only now, or what the rank does beside its
  /// steps did. Otherwise the rank's next step starts it.
  bool is_later;
};

/// Is told what a simulation does, as it happens.
class Observer {
 public:
  virtual ~Observer() = default;
  virtual void iteration_began(std::size_t /*rank*/) {}
  /// The rank is at it until it is done.
  virtual void step_began(std::size_t /*rank*/, const Step& /*step*/, double /*now_s*/) {}
  /// The rank goes on.
  virtual void step_done(std::size_t /*rank*/, const Step& /*step*/, double /*now_s*/) {}
  /// Before the region's last step is done. @param place  the region's, in RankReplay::phases_s
  /// @param so_far  the rank's, in all its iterations: an observer may add what it knows
  virtual void region_ended(std::size_t /*rank*/, std::uint32_t /*place*/, double /*now_s*/,
                            RankReplay& /*so_far*/) {}
  /// It has nothing more to do.
  virtual void rank_finished(std::size_t /*rank*/, double /*now_s*/) {}
  /// The rank forgets its newest requests, which are complete: the collective that made them has ended.
  virtual void requests_closed(std::size_t /*rank*/, std::int64_t /*count*/, double /*now_s*/) {}
  virtual void flow_started(std::size_t /*rank*/, const StartedFlow& /*flow*/) {}
  /// A message that was offered, or copied beside its rank's work, has left its sender. It is the receiver's
  /// latency (Step::latency_s) from being there. @param message  its number among those of the connection,
  /// from
  /// 0
  virtual void message_left(std::size_t /*connection*/, std::int64_t /*message*/, double /*at_s*/) {}
  /// The sender of an offered message goes on, because a copy was taken. The message leaves later.
  virtual void sender_went_on(std::size_t /*connection*/, std::int64_t /*message*/, double /*at_s*/) {}
  virtual void flow_ended(std::size_t /*rank*/, std::uint32_t /*flow*/, double /*now_s*/) {}
};

}  // namespace finegrain::replay
