// SPDX-License-Identifier: MIT
#pragma once

#include <CLI/CLI.hpp>
#include <span>
#include <string>
#include <vector>

#include "sim/answer/evaluate.hpp"
#include "sim/output/table.hpp"

namespace finegrain::cli {

/// answer::evaluate(), with its progress on stderr.
std::vector<answer::Answer> evaluate_with_progress(const std::vector<answer::Question>& questions,
                                                   int processes, const replay::ReplayOptions& options);

/// Adds --waits, which asks for the table of waits by cause.
void add_waits_option(CLI::App& command, std::string& waits);

/// Adds that table, if it is asked for; of contention, after further simulations.
/// @param waits  the value of --waits
void add_waits_table(std::vector<output::Table>& tables, std::span<const answer::Answer> answers,
                     const std::string& waits, const replay::ReplayOptions& options);

}  // namespace finegrain::cli
