// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "sim/output/table.hpp"
#include "sim/tune/tune.hpp"

namespace finegrain {

/// The finalists with all that is known of them, a row each, and in the notes the reasons: why the second
/// lost, what costs the fewest node-hours, and which declared numbers would make another one win.
/// @param within_percent  slower than the fastest, that the cheapest may be
Table tune_table(const TuneAnswer& answer, double within_percent);

/// The same in two tables that fit a terminal: what to run, and what it costs.
std::vector<Table> tune_tables_for_people(const Table& table);

}  // namespace finegrain
