// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <list>
#include <optional>
#include <utility>

#include "sim/replay/replay.hpp"
#include "sim/tune/declared_numbers.hpp"
#include "sim/tune/search.hpp"

namespace finegrain::tune {

struct TuneOptions {
  std::optional<double> budget_s;  ///< none: until no other candidate can win
  bool try_numbers = true;         ///< whether to find out if the answer depends on a declared number
  Objective objective = Objective::time;
  int processes = 1;
  replay::ReplayOptions replay = {};
};

/// The ranked finalists, and what they were chosen from.
struct TuneAnswer {
  Objective objective = Objective::time;
  study::StudyFile study;
  study::StudyInputs inputs;
  std::vector<study::StudyPoint> points;
  std::list<std::vector<study::StudyPoint>> points_on_more_nodes;
  /// The numbers of nodes that were tried on each platform, in order; shape [platforms][.]
  std::vector<std::vector<std::int64_t>> nodes_tried;
  bool nodes_were_given = false;
  std::vector<std::string> policies_left_out;  ///< that --policy may name; none if it was given
  std::vector<std::string> numbers_kept;       ///< kept_numbers() of the programs
  std::size_t cannot_run = 0;
  std::vector<std::string> why_cannot;  ///< the first reasons, each once
  SearchReport search;
  std::vector<Candidate>
      finalists;  ///< simulated in full, the best first; point into `points` and `points_on_more_nodes`
  /// Every declared number that a simulation uses, once larger and once smaller; shape [.][leading
  /// finalists]. Empty if the time was up.
  std::vector<NumberTried> numbers;
};

/// Called as the work goes on, with what is done ("screening"), how much has ended, and of how much.
using TuneProgress = std::function<void(const char* what, std::size_t finished, std::size_t of)>;

/// Finds the fastest way to run, or the one that the objective asks for, by simulation (search.hpp). Without
/// a budget, the answer is the same whatever the number of processes.
/// @throws InputError for input that cannot be used, if nothing can run, or if the objective needs energy and
/// a platform does not state its powers
TuneAnswer tune(const TuneQuestion& question, const TuneOptions& options, const TuneProgress& progress);

}  // namespace finegrain::tune
