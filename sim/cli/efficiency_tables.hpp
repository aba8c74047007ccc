// SPDX-License-Identifier: MIT
#pragma once

#include <nlohmann/json.hpp>
#include <span>

#include "sim/answer/efficiency.hpp"
#include "sim/output/table.hpp"

namespace finegrain::cli {

/// What is lost of the ranks' time, and to what: a row for each platform.
output::Table table_of_efficiencies(std::span<const answer::Answer> answers,
                                    std::span<const answer::LocatedEfficiency> efficiencies);
/// The same for the page: a run's factors, null where there are none, and those of its regions.
nlohmann::json efficiency_data(const answer::LocatedEfficiency& efficiency);
/// Adds POP's scalability of work, where the rows are of several numbers of ranks: none of its parts, since
/// instructions are not counted. @param table  table_of_efficiencies() of several runs
void add_scalability(output::Table& table);
/// The same of functions or places: a row for each of them and each platform, and where most is lost.
output::Table table_of_regions(std::span<const answer::Answer> answers,
                               std::span<const answer::LocatedEfficiency> efficiencies);

}  // namespace finegrain::cli
