// SPDX-License-Identifier: MIT
#pragma once

#include <CLI/CLI.hpp>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "sim/output/table.hpp"

namespace finegrain::cli {

/// Adds --table NAME, one of the tables that the subcommand prints (output::chosen).
CLI::Option* add_table_choice(CLI::App& command, std::string& table, const std::vector<std::string>& names);

/// Adds --format: a table, JSON or CSV.
void add_format_option(CLI::App& command, std::string& format);

/// Adds --jobs: how many simulations run at the same time.
void add_processes_option(CLI::App& command, int& processes);

/// Columns of the terminal that standard output is. None: it is no terminal.
std::optional<std::size_t> terminal_width();

/// Prints to standard output, as wide as the terminal, or 80 columns. On a terminal, rows of one name are
/// added up where there are many, unless the user chose the table. Files, pipes, JSON and CSV have all rows.
/// @param tables  those that are chosen. @param table  --table's; empty: not given
void print_answer(const std::vector<output::Table>& tables, const std::string& table, output::Format format);

}  // namespace finegrain::cli
