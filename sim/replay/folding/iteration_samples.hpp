// SPDX-License-Identifier: MIT
// Which iterations of a loop are simulated with their own times, and how many each of them stands for. An
// example of 1,000 iterations whose slowest rank works 1 ms, but 50 ms in the 400th:
//
//     16 rows of 8, spread over all    each for 998 / 128 iterations
//     the 400th                        for itself
//     the 401st                        for itself: ranks may wait in it for the 400th's work
//
// If the 400th were one of the rows', it would stand for eight like it; if it were left out, for none.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "sim/replay/repeats/sampled_loop.hpp"

namespace finegrain::replay {

struct IterationSamples {
  std::vector<std::size_t> iterations;  ///< ascending
  std::vector<StandsFor> stand_for;     ///< each of them; together for all
};

/// Consecutive iterations that are sampled together, so that the effect of an iteration on the next is
/// included.
inline constexpr std::size_t samples_in_a_row = 8;

/// Rows of iterations that are spread over all (all of them, if there are not many more than wanted), and
/// some of each kind of iteration that is much heavier or lighter than usual, by its slowest rank's work.
/// Each stands for those of its own kind.
/// @param slowest_s  seconds, shape [iterations]
IterationSamples choose_samples(std::span<const double> slowest_s, std::size_t wanted);

}  // namespace finegrain::replay
