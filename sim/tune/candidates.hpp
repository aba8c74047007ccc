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
#include "sim/tune/policy_axes.hpp"

namespace finegrain::tune {

/// What is to be tuned, and the choices that a candidate may have.
struct TuneQuestion {
  std::vector<std::string> matrices;  ///< files; several: the rows of one matrix in several orders
  std::vector<std::filesystem::path> platforms;
  std::vector<std::int64_t> nodes;       ///< empty: first_nodes() of each platform, and more while they gain
  std::vector<int> ranks_per_node = {};  ///< empty: of each platform one a core to one for eight
  std::vector<policy::Variant> variants = {};  ///< empty: all that have equations
  AxisValues axes = {};  ///< values for the variants' policies, instead of with_axes()'s usual ones
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
  study::Answer longer;          ///< the answer for some more iterations, if ranks do not meet at barriers
  study::Answer simulated;       ///< the answer for all iterations
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

/// The programs that are tried if none are named.
std::vector<policy::Variant> usual_variants();
/// The policies whose programs iterate, but are only tried if they are named.
std::vector<std::string> unusual_policies();

/// The numbers of nodes that a search begins with on a platform: those that were given; else powers of two up
/// to 16, or, on a platform with fewer nodes, up to all of these.
std::vector<std::int64_t> first_nodes(const TuneQuestion& question, std::int64_t hosts);

/// Every way to run the problem, as the points of a study: on all numbers of nodes that a search begins with
/// on any platform, with all numbers of ranks a node of any.
study::StudyFile candidates(const TuneQuestion& question);

/// Whether a point that can run is worth trying. A point that equals another one is not: another placement
/// than block on one node, and a BLOCKSIZE that `auto` also gives. Nor is one that wastes ranks, by a
/// BLOCKSIZE that leaves ranks without rows, because fewer ranks would do the same. If ranks_per_node were
/// not given, a platform has its own.
bool is_worth_trying(const study::StudyPoint& point, const TuneQuestion& question,
                     const study::StudyFile& study, const study::StudyInputs& inputs);

/// The points that are worth trying, on the numbers of nodes that a search begins with.
/// @returns the feasible ones, in order. @throws InputError if none is, saying why
std::vector<Candidate> ways_to_run(const TuneQuestion& question, const study::StudyFile& study,
                                   const study::StudyInputs& inputs,
                                   const std::vector<study::StudyPoint>& points);

/// Whether the point's numbers of nodes and of ranks a node are among those with which a search begins on its
/// platform.
bool is_asked(const study::StudyPoint& point, const TuneQuestion& question, const study::StudyFile& study,
              const study::StudyInputs& inputs);

}  // namespace finegrain::tune
