// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <optional>
#include <set>
#include <span>
#include <tuple>
#include <vector>

#include "sim/replay/folding/rank_loops.hpp"

namespace finegrain::replay {

/// The loops that all ranks have, with the same number of iterations on each. A rank whose period is only a
/// part of the others', such as half a time step, gets the others' period.
/// @param found  each rank's find_loops()
/// @returns shape [ranks][loops]; none if there are no such
std::optional<std::vector<std::vector<RankLoop>>> agree(const std::vector<std::vector<PeriodicCalls>>& found);

/// Whether an iteration of all ranks together leaves nothing open: as many messages are received as sent,
/// as many locks are released as taken, and all ranks of a communicator call the same number of collectives.
class LoopBalance {
 public:
  /// @param programs  that know the communicators
  explicit LoopBalance(const Programs& programs) : programs_(programs) {}
  /// What a rank does in an iteration.
  void add(int rank, const Body& body);

  bool is_closed() const;
  /// Whether each rank waits, directly or not, for each other one: then all advance at one pace.
  bool is_coupled() const;

 private:
  /// Those who wait for one another in a collective: all, or for the root, or the root for all.
  enum class Waiting { all, for_root, root };
  static Waiting waiting(CollectiveKind kind);
  /// The ranks of a communicator; none: all of the run.
  std::span<const std::int32_t> ranks_of(std::int32_t communicator) const;

  const Programs& programs_;
  /// Sent and not received, by ranks, communicator and tag.
  std::map<std::tuple<int, int, std::int32_t, std::int32_t>, std::int64_t> messages_;
  std::map<std::tuple<std::int32_t, bool>, std::map<int, std::int64_t>> collectives_;  ///< each rank's
  std::map<std::tuple<int, std::int32_t, std::int32_t>, std::int64_t> locks_;  ///< that a rank took and kept
  std::set<std::tuple<std::int32_t, Waiting, int>> meetings_;  ///< communicator, who waits, root
};

}  // namespace finegrain::replay
