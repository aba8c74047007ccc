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

/// what_to_run(), the finalists with all that is known of them, a row each, and in the notes the reasons:
/// what was simulated and why the search stopped, why the second lost, what costs the fewest node-hours, and
/// which declared numbers would make another one win.
/// @param within_percent  slower than the fastest, that the cheapest may be
output::Table tune_table(const TuneAnswer& answer, const std::optional<double>& budget_s,
                         double within_percent);

/// The finalists in tables that fit a terminal: what to run, where, and what it costs. Without the sentence.
std::vector<output::Table> tune_tables_for_people(const output::Table& table);

}  // namespace finegrain::tune
