// SPDX-License-Identifier: MIT
#pragma once

#include <memory>

#include "sim/replay/replay.hpp"

namespace finegrain::replay {

class LoadedPlatform;

/// Replays one schedule after the other in this process, for which the platform is loaded once. The process
/// must replay nothing else: SimGrid starts only once.
class ReplayInTurn {
 public:
  /// @throws InputError if SimGrid refuses the file
  explicit ReplayInTurn(const platform::Platform& platform);
  ~ReplayInTurn();
  ReplayInTurn(const ReplayInTurn&) = delete;
  ReplayInTurn& operator=(const ReplayInTurn&) = delete;

  /// The same as replay() gives, but not for options.one_flow_per_message.
  /// @param platform  one of the same file; its costs may be others
  /// @pre check_schedule() accepts the schedule, and the platform has a host for every node and does not
  /// change over time
  ReplayResult replay(const Schedule& schedule, const platform::Platform& platform,
                      const ReplayOptions& options, const problem::Placement& placement);

 private:
  std::unique_ptr<LoadedPlatform> loaded_;
};

}  // namespace finegrain::replay
