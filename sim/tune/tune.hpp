// SPDX-License-Identifier: MIT
#pragma once

#include <functional>

#include "sim/replay/replay.hpp"
#include "sim/tune/candidates.hpp"
#include "sim/tune/declared_numbers.hpp"

namespace finegrain {

struct TuneOptions {
  std::size_t finalists = 24;
  int processes = 1;
  ReplayOptions replay = {};
};

/// The finalists, ranked, and what they came out of.
struct TuneAnswer {
  StudyFile study;
  StudyInputs inputs;
  std::vector<StudyPoint> points;
  std::size_t screened = 0;  ///< points that had their closed form computed
  std::size_t cannot_run = 0;
  std::vector<Candidate> finalists;    ///< fastest first; point into `points`
  std::vector<NumberChanged> numbers;  ///< every declared number that the closed form looks at, both ways
};

/// What tuning does, told as it happens.
struct TuneEvents {
  std::function<void(std::size_t finished, std::size_t of)> screening;
  std::function<void(std::size_t finished, std::size_t of)> simulating;
};

/// Screens every way to run with the closed form, and simulates finalists in three rounds (finalists.hpp).
/// Where a finalist's closed form is less with communication-aware placement, it is placed so.
/// @throws InputError for input that cannot be used, or if nothing can run
TuneAnswer tune(const TuneQuestion& question, const TuneOptions& options, const TuneEvents& events);

}  // namespace finegrain
