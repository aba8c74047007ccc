// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "sim/tune/candidates.hpp"

namespace finegrain {

/// How many of its iterations a simulation of a candidate has.
enum class Depth : std::uint8_t { few, all };

/// Simulates candidates, and says whether it did: false when there is no time left.
using Simulate = std::function<bool(const std::vector<Candidate*>& candidates, Depth depth)>;

/// What a search did, and why it stopped.
struct SearchReport {
  std::size_t candidates = 0;
  std::size_t screened = 0;         ///< simulated for a few iterations
  std::size_t simulated = 0;        ///< for all
  std::size_t interrupted = 0;      ///< their simulation was killed, or got no memory
  std::size_t could_still_win = 0;  ///< of those not screened, or screened only: 0 unless time was up
};

/// Iterations that screen a program: one where all ranks meet between iterations, so that each is alike; else
/// four, in which the ranks that run ahead begin to be held.
std::int64_t few_iterations(const Run& run);

/// Finds the fastest candidate by simulation.
///
/// Screening: a few iterations. The closed form orders the queue, times the ratio of simulation to closed
/// form that the most similar candidate had. First come the least closed form of each program, number of
/// nodes, number of ranks a node and placement, and all that have no closed form. Then batches, until nobody
/// left could win: a third of that estimate would still be slower than the best.
///
/// Then all iterations: of the best of each number of nodes and of ranks a node; of the best of each
/// placement, and without barriers of each placement, number of nodes and of ranks a node; and of batches of
/// those that could win: their screening, times the ratio of the most similar candidate, less the largest
/// error that this had where both are known, is less than the best.
/// @param candidates  with closed forms, where there are
SearchReport search(std::vector<Candidate>& candidates, const Simulate& simulate);

}  // namespace finegrain
