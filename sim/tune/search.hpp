// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <vector>

#include "sim/tune/more_nodes.hpp"
#include "sim/tune/rounds.hpp"

namespace finegrain::tune {

/// What a search did, and why it stopped.
struct SearchReport {
  std::size_t candidates = 0;
  std::size_t screened = 0;         ///< simulated for a few iterations
  std::size_t simulated = 0;        ///< simulated for all iterations
  std::size_t impossible = 0;       ///< refused when they were to be simulated: the matrix does not suit them
  std::size_t interrupted = 0;      ///< their simulation was killed, or got no memory
  std::size_t could_still_win = 0;  ///< not simulated in full: 0 unless time was up
  bool more_nodes_left_out = false;  ///< the time was up before more nodes stopped gaining
};

/// How many iterations of a run are simulated, at most all of them. `few` is one if all ranks meet between
/// iterations, because then every iteration is alike. Otherwise it is four, after which ranks that run ahead
/// begin to wait for others. `some` is four times as many; after sixteen, most ranks have reached their pace.
std::int64_t iterations_at(Depth depth, const Run& run);

/// Finds the fastest candidate by simulation, in three steps, each of which keeps those that could still win.
///
/// Screening: a few iterations. An estimate orders the queue: the closed form, times the ratio of simulation
/// to closed form of the most similar candidate. The first to be simulated are, for each platform, matrix,
/// program, number of ranks, number of ranks per node and placement, the candidate with the least closed
/// form, and all candidates without one; and for each program and number of ranks, with all settings of the
/// policy. Batches follow, until no other candidate could win: even a third of its estimate (two thirds, if
/// only the BLOCKSIZE differs a little) is slower than the best. Where a candidate with other settings was
/// simulated, the ratio of the two settings that was seen elsewhere, less 10 %, says so instead.
///
/// More nodes follow, where they may be tried and gain (more_nodes.hpp).
///
/// Some iterations: for candidates without barriers that would win if later iterations were faster by as much
/// as was ever seen. Ranks that exchange messages with few others need many iterations to reach
/// their final pace: a delay travels from neighbour to neighbour, one neighbour in each iteration.
///
/// All iterations: first the candidate with the least estimate, then batches of those that would win if the
/// change from the first iterations to the later ones went on.
///
/// Candidates that differ only in when they complete messages and in placement, and whose simulation is
/// equal, count as one.
/// @param candidates  with their closed forms, if they have any
/// @param least_in_full  how many candidates, if there are as many, are at least simulated in full, for
/// comparison: those with the least estimates
SearchReport search(std::vector<Candidate>& candidates, const Simulate& simulate,
                    std::size_t least_in_full = 1, const MoreNodes& more = {});

}  // namespace finegrain::tune
