// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "sim/tune/candidates.hpp"

namespace finegrain::tune {

/// How many of its iterations a simulation of a candidate has.
enum class Depth : std::uint8_t { few, some, all };

/// Simulates candidates, and says whether it did: false when there is no time left.
using Simulate = std::function<bool(const std::vector<Candidate*>& candidates, Depth depth)>;

/// What a search did, and why it stopped.
struct SearchReport {
  std::size_t candidates = 0;
  std::size_t screened = 0;         ///< simulated for a few iterations
  std::size_t simulated = 0;        ///< for all
  std::size_t interrupted = 0;      ///< their simulation was killed, or got no memory
  std::size_t could_still_win = 0;  ///< of those not simulated in full: 0 unless time was up
};

/// Iterations that are simulated of a run. A few: one where all ranks meet between iterations, so that each
/// is alike; else four, in which the ranks that run ahead begin to be held. Some: sixteen, in which most have
/// come to their pace. Never more than all.
std::int64_t iterations_at(Depth depth, const Run& run);

/// Finds the fastest candidate by simulation, in three steps, each of which keeps those that could still win.
///
/// Screening: a few iterations. The closed form orders the queue, times the ratio of simulation to closed
/// form that the most similar candidate had. First come the least closed form of each program, number of
/// nodes, number of ranks a node and placement, and all that have no closed form. Then batches, until nobody
/// left could win: a third of that estimate (two thirds, where only the BLOCKSIZE differs, and little) would
/// still be slower than the best.
///
/// Some iterations, without barriers: of all that would win if they became faster in the long run, by as much
/// as is seen at most. Ranks that exchange messages with few others take long to come to their pace: a delay
/// travels from neighbour to neighbour, one an iteration.
///
/// All iterations: of the least estimate, then of batches of those that would win if the change from the
/// first iterations to the later ones went on.
///
/// Candidates that differ only in when they complete messages and in placement, and whose simulation is
/// equal, count as one.
/// @param candidates  with closed forms, where there are
/// @param least_in_full  at least this many candidates, if there are, are simulated in full, for comparison:
/// those with the least estimates
SearchReport search(std::vector<Candidate>& candidates, const Simulate& simulate,
                    std::size_t least_in_full = 1);

}  // namespace finegrain::tune
