// SPDX-License-Identifier: MIT
#pragma once

#include <boost/graph/adjacency_list.hpp>
#include <span>

#include "sim/collectives/decisions.hpp"
#include "sim/graph/traffic.hpp"
#include "sim/pattern/counts.hpp"
#include "sim/pattern/volume.hpp"
#include "sim/policy/policy.hpp"
#include "traces/programs.hpp"

namespace finegrain::graph {

/// Who sends to whom in one iteration: a vertex a rank, an edge from sender to receiver with all that goes
/// that way. What a rank copies to itself is no edge. It knows nothing of nodes.
using RankGraph = boost::adjacency_list<boost::vecS, boost::vecS, boost::bidirectionalS, boost::no_property,
                                        pattern::Volume>;

/// The graph of the messages that ranks post. A two-sided message counts once.
RankGraph rank_graph(const Schedule& schedule);

/// The graph of all messages that ranks post from the beginning of their programs to the end.
/// @param decisions  collective operations as this MPI library carries them out; none: they are left out
/// @throws InputError if a program cannot be read
RankGraph rank_graph(const Programs& programs, const collectives::Decisions* decisions = nullptr);

/// The traffic on each rank's edges, by where the ranks are. Shape [ranks]
std::vector<RankTraffic> traffic_of(const RankGraph& graph, const problem::Placement& placement);

/// The same, from counts: without making the schedule. @param counts  shape [run.ranks]
RankGraph rank_graph(const Run& run, std::span<const pattern::RankCounts> counts);

}  // namespace finegrain::graph
