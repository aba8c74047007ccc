// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "traces/programs.hpp"

namespace finegrain::replay {

/// One region of a rank's program, done once.
struct Piece {
  std::shared_ptr<const Body> body;
  double seconds;  ///< of its timed work
};

/// A recorded program in which one rank, the master, gives the next task to whichever worker sends its result
/// first. The master takes results by blocking receives from any source. What a worker does after a result
/// begins with the master's answer: the next task, or that there is none.
///
/// On another platform, results come in another order. Then the n-th answer goes to the worker whose result
/// came n-th there, and that worker does the task that belongs to this answer. What the master receives from
/// a worker together with a result belongs to the result. A worker does whatever follows its own last result
/// in the recording, for example MPI_Finalize, itself.
struct SelfScheduling {
  /// What the master takes from any source, in the order of the recording.
  struct Result {
    std::int32_t worker;
    std::size_t number;  ///< among those of this worker, from 0
    // The master's pieces: [first, answer) take it, [answer, after) are its answer, and what else comes
    // before the next result.
    std::size_t first;
    std::size_t answer = 0;
    std::size_t after = 0;
  };
  /// A transfer of the master whose other rank is the worker that sent a result.
  struct Bound {
    std::size_t operation;  ///< of the piece's body
    std::size_t result;
  };
  struct MasterPiece {
    Piece piece;
    std::vector<Bound> bound;
  };
  struct Worker {
    std::vector<Piece> pieces;
    std::vector<std::size_t> after;    ///< of each result: the piece with which the worker goes on
    std::vector<std::size_t> results;  ///< places in SelfScheduling::results
  };

  std::int32_t master = 0;
  std::int32_t communicator = 0;    ///< of the results
  std::optional<std::int32_t> tag;  ///< of the results; none: the master takes any
  std::vector<Result> results;
  std::vector<MasterPiece> master_pieces;
  std::map<std::int32_t, Worker> workers;  ///< by their ranks

  bool is_last(const Result& result) const {
    return result.number + 1 == workers.at(result.worker).results.size();
  }
};

/// Finds the master and its tasks.
/// @returns none if the program is not of this kind, or is too long to be kept in memory. Not of this kind
/// are programs in which several ranks receive from any source, in which the master has several such receives
/// posted at a time, or in which a task has messages between workers, locks, or requests that are still open
/// when the next one begins
/// @throws InputError where a program cannot be read
std::optional<SelfScheduling> find_self_scheduling(const Programs& programs);

}  // namespace finegrain::replay
