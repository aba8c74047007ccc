// SPDX-License-Identifier: MIT
#include "sim/cli/answer.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <iostream>

#include "sim/cli/help.hpp"
#include "sim/cli/workload.hpp"
#include "sim/output/text_table.hpp"

namespace finegrain::cli {

CLI::Option* add_table_choice(CLI::App& command, std::string& table, const std::vector<std::string>& names) {
  return command
      .add_option("--table", table, fmt::format("Print one table only: {}", fmt::join(names, ", ")))
      ->check(one_of(names));
}

void add_format_option(CLI::App& command, std::string& format) {
  command.add_option("--format", format, "Output: table, json or csv")
      ->check(one_of({"table", "json", "csv"}))
      ->capture_default_str();
}

void add_processes_option(CLI::App& command, int& processes) {
  command.add_option("-j,--jobs", processes, "Simulations at the same time. Default: one a core")
      ->check(at_least_one());
}

std::optional<std::size_t> terminal_width() {
  if (::isatty(STDOUT_FILENO) == 0) return std::nullopt;
  winsize size{};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  const char* const columns = std::getenv("COLUMNS");
  std::size_t width = 0;
  if (columns != nullptr &&
      std::from_chars(columns, columns + std::strlen(columns), width).ec == std::errc() && width > 0)
    return width;
  return output::usual_width;
}

void print_answer(const std::vector<output::Table>& tables, const std::string& table, output::Format format) {
  const bool is_for_terminal =
      format == output::Format::table && table.empty() && ::isatty(STDOUT_FILENO) == 1;
  print(std::cout, is_for_terminal ? output::for_terminal(tables) : tables, format,
        std::max(output::usual_width, terminal_width().value_or(0)));
}

}  // namespace finegrain::cli
