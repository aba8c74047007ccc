// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sim/study/answer.hpp"
#include "sim/study/points.hpp"
#include "sim/tune/objective.hpp"

namespace finegrain::tune {

/// What is to be tuned, and the choices that a candidate may have.
struct TuneQuestion {
  std::vector<std::string> matrices;  ///< files; several: the rows of one matrix in several orders
  std::vector<std::filesystem::path> platforms;
  std::vector<std::int64_t> nodes;
  std::vector<int> ranks_per_node = {};        ///< empty: one a core, and half as many, for every platform
  std::vector<policy::Variant> variants = {};  ///< empty: all that have equations
  std::vector<std::optional<std::int64_t>> block_sizes = {};  ///< empty: one block a rank, and powers of two
  std::vector<graph::PlacementRule> placements = {graph::PlacementRule::block, graph::PlacementRule::cyclic,
                                                  graph::PlacementRule::communication};
  std::map<std::string, std::string> set = {};  ///< numbers of the platforms, instead of those in their files
  int threads_per_rank = 1;
  std::int64_t iterations = 1000;
};

/// A way to run, and what is known about it. An answer without a total and without a reason for that has not
/// been computed yet.
struct Candidate {
  const study::StudyPoint* point = nullptr;
  study::Answer closed_form;
  study::Answer screened;        ///< from a simulation of a few iterations
  study::Answer longer;          ///< of some more, if ranks do not meet at barriers
  study::Answer simulated;       ///< of all iterations
  double messages_per_rank = 0;  ///< mean, sent in one iteration; known once screened
  Judge judge = {};

  /// The quantity that a search minimizes. @param answer  one of the above
  std::optional<double> cost(const study::Answer& answer) const { return judge.cost(point->run, answer); }
  /// The answer in the objective's unit.
  std::optional<double> value(const study::Answer& answer) const { return judge.value(point->run, answer); }
};

/// The pattern of the problems that are tuned: sparse matrices.
const pattern::PatternKind& tuned_pattern();

/// The BLOCKSIZE of a run of this pattern.
std::int64_t block_size_of(const Run& run);

/// Every way to run the problem, as the points of a study.
study::StudyFile candidates(const TuneQuestion& question);

/// The points that are worth trying. Points that equal another one are left out: other placements than block
/// on one node, and a BLOCKSIZE that `auto` also gives. Points that waste ranks are left out too: more ranks
/// than cores, unless ranks_per_node were given; and a BLOCKSIZE that leaves ranks without rows, because
/// fewer ranks would do the same.
/// @returns the feasible ones, in order. @throws InputError if none is, saying why
std::vector<Candidate> ways_to_run(const TuneQuestion& question, const study::StudyFile& study,
                                   const study::StudyInputs& inputs,
                                   const std::vector<study::StudyPoint>& points);

}  // namespace finegrain::tune
