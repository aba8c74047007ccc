// SPDX-License-Identifier: MIT
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "sim/graph/rank_graph.hpp"
#include "traces/programs.hpp"

namespace finegrain::report {

/// Bytes and messages of one iteration from every rank to every other. Where that is more than a page can
/// draw, a cell sums several senders and as many receivers: the fewest, by powers of two, that leave
/// `most_cells` with any message.
nlohmann::json communication_of(const Schedule& schedule, std::size_t most_cells = 4000);
/// The same of a program, from its graph.
nlohmann::json communication_of(const graph::RankGraph& graph, std::size_t most_cells = 4000);

}  // namespace finegrain::report
