// SPDX-License-Identifier: MIT
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "sim/graph/rank_graph.hpp"
#include "traces/programs.hpp"

namespace finegrain::report {

/// Bytes and messages of one iteration from every rank to every other. If that is more than a page can draw,
/// a cell sums up a group of senders and a group of receivers. The groups have the smallest size, a power of
/// two, with which at most `most_cells` cells have messages.
nlohmann::json communication_of(const Schedule& schedule, std::size_t most_cells = 4000);
/// The same of a program, from its graph.
nlohmann::json communication_of(const graph::RankGraph& graph, std::size_t most_cells = 4000);

}  // namespace finegrain::report
