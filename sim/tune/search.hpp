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
/// Screening: a few iterations. An estimate orders the queue: the closed form, times the ratio of simulation
/// to closed form of the most similar candidate. First comes the least closed form of each program, number of
/// nodes, number of ranks a node and placement, and all that have no closed form. Then come batches, until no
/// other could win: even a third of its estimate (two thirds, where only the BLOCKSIZE differs a little) is
/// slower than the best.
///
/// Some iterations, for candidates without barriers that would win if they became faster in the long run, by
/// the most that was ever seen. Ranks that exchange messages with few others need many iterations to reach
/// their final pace: a delay travels from neighbour to neighbour, one neighbour in each iteration.
///
/// All iterations: first the candidate with the least estimate, then batches of those that would win if the
/// change from the first iterations to the later ones went on.
///
/// Candidates that differ only in when they complete messages and in placement, and whose simulation is
/// equal, count as one.
/// @param candidates  with closed forms, where there are
/// @param least_in_full  at least this many candidates, if there are, are simulated in full, for comparison:
/// those with the least estimates
SearchReport search(std::vector<Candidate>& candidates, const Simulate& simulate,
                    std::size_t least_in_full = 1);

}  // namespace finegrain::tune
