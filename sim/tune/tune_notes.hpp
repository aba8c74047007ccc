// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/tune/tune.hpp"

namespace finegrain::tune {

/// A finalist's simulated value, in the objective's unit.
double value_of(const Candidate& candidate);
double node_hours(const Candidate& candidate);
double percent_more(double value, double than);

/// Numbers of nodes for people, e.g. "1, 2 and 4", "1 to 12", "powers of two from 1 to 64".
std::string numbers_text(const std::vector<std::int64_t>& numbers);

/// The reasons for an answer: what was simulated and why the search stopped, on which nodes, what was left
/// out, why the second lost, which costs the fewest node-hours, and which declared numbers would make another
/// one win.
/// @param within_percent  how much slower than the fastest the cheapest may be
std::vector<std::string> tune_notes(const TuneAnswer& answer, const std::optional<double>& budget_s,
                                    double within_percent);

}  // namespace finegrain::tune
