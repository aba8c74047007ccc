// SPDX-License-Identifier: MIT
#pragma once

#include <boost/graph/adjacency_list.hpp>
#include <span>

#include "sim/graph/traffic.hpp"
#include "sim/pattern/counts.hpp"
#include "sim/policy/policy.hpp"
#include "traces/programs.hpp"

namespace finegrain::graph {

/// Who sends to whom in one iteration: a vertex a rank, an edge from sender to receiver with all that goes
/// that way. What a rank copies to itself is no edge. It knows nothing of nodes.
using RankGraph = boost::adjacency_list<boost::vecS, boost::vecS, boost::bidirectionalS, boost::no_property,
                                        pattern::Volume>;

/// Of what the ranks post; two-sided messages count once.
RankGraph rank_graph(const Schedule& schedule);

/// Of what the ranks post from their programs' beginning to their end, collective operations left out.
/// @throws InputError if a program cannot be read
RankGraph rank_graph(const Programs& programs);

/// The same, from counts: without making the schedule. @param counts  shape [run.ranks]
RankGraph rank_graph(const Run& run, std::span<const pattern::RankCounts> counts);

}  // namespace finegrain::graph
