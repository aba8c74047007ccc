// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "sim/replay/repeats/sampled_loop.hpp"
#include "sim/replay/replay.hpp"
#include "traces/programs.hpp"

namespace finegrain::replay {

/// Calls of a rank that follow one another: an iteration of a loop, or what is between two loops.
struct Segment {
  std::vector<std::uint32_t> calls;  ///< places in FoldedRank::bodies
  /// For each call, one after the other: the seconds of its body's timed regions. A loop has those of one
  /// iteration, the means of all iterations; or those of each of its samples.
  std::vector<float> seconds;
  std::vector<float> mean_seconds = {};         ///< likewise: of all iterations
  std::vector<float> undisturbed_seconds = {};  ///< a loop's whose samples have their own (UndisturbedWork)
};

/// A rank's program. All ranks have as many segments; those with odd numbers are loops.
struct FoldedRank {
  std::vector<std::shared_ptr<const Body>> bodies;
  std::vector<std::vector<std::uint32_t>> timed_regions;  ///< each body's
  std::vector<Segment> segments;
};

/// What all ranks repeat together.
struct CommonLoop {
  std::int64_t iterations;
  /// The iterations that are kept with their own times. Empty: only the means of all are kept.
  std::vector<StandsFor> samples = {};
  /// Heavy work comes and goes on single ranks too often to be a disturbance of the recording.
  bool work_moves = false;
  /// How much longer the slowest rank's work is than the mean: seconds of all iterations together, relative
  /// to the work of the rank that works most.
  double noise = 0;
  bool is_coupled = true;  ///< each rank waits for each other one, directly or not
};

/// Programs whose ranks repeat something together, in memory: a body, and how often.
struct FoldedPrograms {
  std::vector<FoldedRank> ranks;
  std::vector<CommonLoop> loops;
};

/// Finds the loops that all ranks of a run have in common. An iteration is alike in its calls, their sizes
/// and peers; times may differ. If a rank's differ from their means, others may wait for it longer than the
/// means say: then some iterations are kept with their own times, and represent all.
/// @returns none if there is no loop, or it is not closed: each iteration receives as many messages as it
/// sends, and all ranks take part, and wait for one another
/// @throws InputError where a program cannot be read
std::optional<FoldedPrograms> fold(const Programs& programs, const ReplayOptions& options);

}  // namespace finegrain::replay
