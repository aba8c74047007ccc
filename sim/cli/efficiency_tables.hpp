// SPDX-License-Identifier: MIT
#pragma once

#include <span>

#include "sim/answer/efficiency.hpp"
#include "sim/output/table.hpp"

namespace finegrain::cli {

/// What is lost of the ranks' time, and to what: a row for each platform.
output::Table table_of_efficiencies(std::span<const answer::Answer> answers,
                                    std::span<const answer::LocatedEfficiency> efficiencies);
/// Adds POP's scalability of work, where the rows are of several numbers of ranks: none of its parts, since
/// instructions are not counted. @param table  table_of_efficiencies() of several runs
void add_scalability(output::Table& table);
/// In which functions or places it is lost: a row for each of them and each platform.
output::Table table_of_losses(std::span<const answer::Answer> answers,
                              std::span<const answer::LocatedEfficiency> efficiencies);

}  // namespace finegrain::cli
