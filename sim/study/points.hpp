// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "kernels/problem/uneven_placement.hpp"
#include "sim/graph/placement_rule.hpp"
#include "sim/study/study_inputs.hpp"
#include "traces/run.hpp"

namespace finegrain::study {

/// The name that stands for the kind of problem and for the policy in a study of jobs.
inline constexpr const char* kind_of_jobs = "jobs";

/// One setting of a study.
struct StudyPoint {
  std::int64_t number = 0;                          ///< from 0, the last axis varying fastest
  std::array<std::size_t, axis_count> positions{};  ///< on each axis
  Run run;                                          ///< with jobs, it has the ranks of all jobs together
  int nodes = 0;  ///< number of nodes that have ranks; 0: not known, because the point cannot run
  graph::PlacementRule placement = graph::PlacementRule::block;
  std::string collective;    ///< as StudyFile::collectives
  double compute_scale = 1;  ///< on hosts without a factor of their own, which the platform has
  std::size_t platform = 0;  ///< index into StudyInputs::platforms
  problem::Room room = {};   ///< nodes that hold different numbers of ranks; empty: run.ranks_per_node each
  std::string infeasible;    ///< why it cannot run; empty if it can

  std::size_t position(Axis axis) const { return positions[static_cast<std::size_t>(axis)]; }
};

/// Where the point's ranks are. @param graph, hops_of  as graph::placement_by()
problem::Placement placement_of(const StudyPoint& point, const std::function<graph::RankGraph()>& graph,
                                const graph::HopsOf& hops_of);

/// Every point of the grid, in the order of their numbers.
std::vector<StudyPoint> points_of(const StudyFile& study, const StudyInputs& inputs);

}  // namespace finegrain::study
