// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sim/replay/folding/call_sequence.hpp"
#include "sim/replay/folding/folded_programs.hpp"
#include "sim/replay/folding/periods.hpp"

namespace finegrain::replay {

/// Where a rank's loops are among its calls, as all ranks agreed.
struct RankLoop {
  std::size_t first;   ///< call
  std::size_t period;  ///< calls of an iteration
  std::size_t iterations;

  std::size_t end() const { return first + period * iterations; }
};

/// The rank's program, its loops folded, with the mean times of each loop's iterations.
FoldedRank fold_rank(const CallSequence& sequence, std::span<const RankLoop> loops);

/// Seconds of timed work of each iteration.
std::vector<double> work_of_iterations(const CallSequence& sequence, const RankLoop& loop);

/// How far the timed work of each iteration's calls is from its mean, call by call: seconds in all.
/// @param means_s  one iteration's
std::vector<double> deviations_of_iterations(const CallSequence& sequence, const RankLoop& loop,
                                             std::span<const float> means_s);

/// The own times of some iterations, one after the other. @param iterations  in ascending order
std::vector<float> times_of(const CallSequence& sequence, const RankLoop& loop,
                            std::span<const std::size_t> iterations);

/// Whether no call after the loop's beginning waits for a request that is further back than two iterations.
bool requests_are_closed(const CallSequence& sequence, const RankLoop& loop);

}  // namespace finegrain::replay
