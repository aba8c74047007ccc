// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "sim/replay/self_scheduling/pieces.hpp"
#include "traces/programs.hpp"

namespace finegrain::replay {

/// A recorded program in which one rank, the master, receives from any source. What it takes there is called
/// a result here, whatever it is, and who sends results is a worker. On another platform, results come in
/// another order. What happens then depends on the result:
///
/// * If the master answers the worker at once, and the worker's work until its next result involves nobody
/// but
///   the master, then that work is a task. The n-th answer goes to the worker whose result came n-th, and
///   that worker does the task that belongs to this answer. This is self-scheduling.
/// * Otherwise, what the worker does next is its own, whenever its result is taken: for example its part of a
///   mesh, if the master collects something from all ranks and then answers all. So is what it does after a
///   collective operation, and after its last result. If some workers get tasks after others got their last
///   answer, there are no tasks: then each rank has as much work of its own as it had in the recording.
///
/// What the master receives from a worker together with a result belongs to the result.
struct SelfScheduling {
  /// What the master takes from any source, in the order of the recording.
  struct Result {
    std::int32_t worker;
    std::size_t number;  ///< among those of this worker, from 0
    // The master's pieces: [first, answer) take it, [answer, after) are what it does before the next one.
    std::size_t first;
    std::size_t answer = 0;
    std::size_t after = 0;
    bool is_answered_at_once = false;  ///< until the next one, the master sends only to this worker
    bool has_task = false;             ///< otherwise, what follows stays with the worker
  };
  struct MasterPiece {
    Piece piece;
    std::vector<std::size_t> with_sender;  ///< operations whose other rank is the worker that sent the result
  };
  struct Worker {
    std::vector<Piece> pieces;
    std::vector<std::size_t> after;    ///< the piece with which the worker goes on after each result
    std::vector<std::size_t> results;  ///< places in SelfScheduling::results
  };

  std::int32_t master = 0;
  std::int32_t communicator = 0;    ///< the results'
  std::optional<std::int32_t> tag;  ///< the results'; none: the master takes any
  std::vector<Result> results;
  std::vector<MasterPiece> master_pieces;
  std::map<std::int32_t, Worker> workers;  ///< by their ranks
  std::int64_t unreceived = 0;             ///< messages between the master and workers
};

/// Finds the master and its workers.
/// @returns none if the program is not of this kind, or is too long to be kept in memory. Not of this kind
/// are programs in which several ranks receive from any source, in which the master has several such receives
/// posted at a time, works while one is posted, or posts something to a worker that has a task, and in which
/// a worker has a request open when it goes on after a result. Nor are traces that end early
/// @throws InputError where a program cannot be read
std::optional<SelfScheduling> find_self_scheduling(const Programs& programs);

}  // namespace finegrain::replay
