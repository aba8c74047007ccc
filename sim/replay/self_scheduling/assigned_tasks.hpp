// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "sim/replay/replay.hpp"
#include "sim/replay/self_scheduling/self_scheduling.hpp"
#include "traces/programs.hpp"

namespace finegrain::replay {

/// A recorded program with its tasks given to workers in another order of results than the recorded one. The
/// order may be decided while the program is replayed: until a result is taken, the cursors of the master and
/// of the worker that sent it do not know how they go on (ProgramCursor::is_decided()).
class AssignedTasks : public DerivedPrograms {
 public:
  /// No result has been taken yet. @pre both outlive this
  AssignedTasks(const Programs& recorded, const SelfScheduling& found);

  /// The master takes this worker's result next.
  /// @throws InputError if the worker has no result to send
  void take(std::int32_t worker);
  bool is_result(std::int32_t sender, std::int32_t receiver, std::int32_t communicator,
                 std::int32_t tag) const;
  std::int32_t master() const { return found_.master; }
  TasksGiven given() const;
  /// Whether all results were taken.
  bool is_decided() const { return taken_.size() == found_.results.size(); }
  /// How many of the results were taken, as a share of all.
  double share_taken() const {
    return static_cast<double>(taken_.size()) / static_cast<double>(found_.results.size());
  }

  std::unique_ptr<ProgramCursor> rank(int rank) const override;

 private:
  class OneLoop;
  class MasterCursor;
  class WorkerCursor;
  struct Taken {
    std::int32_t worker;
    std::size_t result;  ///< one of the recording's, that it sent
  };
  /// Pieces of a worker of the recording, [first, after).
  struct Stretch {
    const SelfScheduling::Worker* of;
    std::size_t first;
    std::size_t after;
  };

  /// The first result of the worker after which it does something of its own, not done so far.
  /// @throws InputError if there is none
  std::size_t next_of_its_own(std::int32_t worker);

  const SelfScheduling& found_;
  std::vector<Taken> taken_;
  /// What each worker does: what precedes its first result, then a stretch for each of its results that was
  /// taken.
  std::map<std::int32_t, std::vector<Stretch>> stretches_;
  /// The result of the recording that each worker's next one is; none if it sends no more.
  std::map<std::int32_t, std::optional<std::size_t>> next_result_;
  std::map<std::int32_t, std::size_t> next_own_;  ///< each worker's: number of a result
};

}  // namespace finegrain::replay
