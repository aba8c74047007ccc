// SPDX-License-Identifier: MIT
#include "sim/cli/answer.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <iostream>

namespace finegrain::cli {

void add_table_choice(CLI::App& command, std::string& table, const std::vector<std::string>& names) {
  command.add_option("--table", table, fmt::format("Print one table only: {}", fmt::join(names, ", ")))
      ->check(CLI::IsMember(names));
}

void print_answer(const std::vector<output::Table>& tables, const std::string& table, output::Format format) {
  const bool is_for_terminal =
      format == output::Format::table && table.empty() && ::isatty(STDOUT_FILENO) == 1;
  print(std::cout, is_for_terminal ? output::for_terminal(tables) : tables, format);
}

}  // namespace finegrain::cli
