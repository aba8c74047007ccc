// SPDX-License-Identifier: MIT
#pragma once

#include <boost/graph/adjacency_list.hpp>
#include <span>

#include "sim/schedule/counts.hpp"
#include "sim/schedule/traffic.hpp"
#include "traces/programs.hpp"

namespace finegrain {

/// Who sends to whom in one iteration: a vertex a rank, an edge from sender to receiver with all that goes
/// that way. What a rank copies to itself is no edge. It knows nothing of nodes.
using RankGraph =
    boost::adjacency_list<boost::vecS, boost::vecS, boost::bidirectionalS, boost::no_property, Volume>;

/// Of what the ranks post; two-sided messages count once.
RankGraph rank_graph(const Schedule& schedule);

/// The same, from the counts of SpMV: without making the schedule. @param counts  shape [ranks]
RankGraph rank_graph(std::span<const RankCounts> counts, Policy policy);

}  // namespace finegrain
