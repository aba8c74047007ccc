// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <tuple>

#include "sim/replay/self_scheduling/pieces.hpp"
#include "sim/replay/self_scheduling/self_scheduling.hpp"

namespace finegrain::replay {

/// The messages of the master that its workers have not met yet, in its order; and of each, the result (its
/// place in SelfScheduling::results) that it takes, or answers at once. None: it does neither.
struct MasterMessages {
  /// By worker, communicator and tag.
  using Key = std::tuple<std::int32_t, std::int32_t, std::int32_t>;
  std::map<Key, std::deque<std::optional<std::size_t>>> receives;
  std::map<Key, std::deque<std::optional<std::size_t>>> sends;
};

/// Reads a worker's part, piece by piece: which of its messages are results, and where it goes on after each.
class WorkerReader {
 public:
  /// @param found  with the master's part; a result that turns out not to be answered at once is marked there
  WorkerReader(std::int32_t rank, SelfScheduling& found, MasterMessages& messages);

  void read(const Piece& piece);
  /// @returns none if what it does after a result is not what SelfScheduling says
  std::optional<SelfScheduling::Worker> end();

 private:
  bool sends_result(const Body& body);
  void add(const Piece& piece);
  void meet(const Post& post, bool were_open);

  std::int32_t rank_;
  SelfScheduling& found_;
  MasterMessages& messages_;
  SelfScheduling::Worker worker_;
  OpenRequests requests_;
  bool waits_ = false;       ///< for the answer of `result_`
  std::size_t sent_by_ = 0;  ///< the piece that sent it
  std::size_t result_ = 0;
  bool fits_ = true;
};

}  // namespace finegrain::replay
