// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/output/table.hpp"
#include "sim/tune/tune.hpp"

namespace finegrain::tune {

/// One sentence: the fastest way to run, and how long it takes.
std::string what_to_run(const TuneAnswer& answer);

/// A table with what_to_run(), and a row for each finalist with all that is known about it. The notes give
/// the reasons: what was simulated and why the search stopped, why the second lost, which costs the fewest
/// node-hours, and which declared numbers would make another one win.
/// @param within_percent  how much slower than the fastest the cheapest may be
output::Table tune_table(const TuneAnswer& answer, const std::optional<double>& budget_s,
                         double within_percent);

/// The finalists in tables that fit a terminal: what to run, where, and what it costs, without what_to_run().
std::vector<output::Table> tune_tables_for_people(const output::Table& table);

}  // namespace finegrain::tune
