// SPDX-License-Identifier: MIT
#include "sim/cli/help.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <numeric>
#include <string_view>
#include <vector>

namespace finegrain::cli {
namespace {

constexpr std::size_t left_column = 30;

std::size_t help_width() {
  constexpr std::size_t of_files = 100;
  constexpr std::size_t least = 60;
  winsize size{};
  if (::isatty(STDOUT_FILENO) == 0 || ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0)
    return of_files;
  return std::max<std::size_t>(size.ws_col, least);
}

/// Words, of which no line is longer than the width (but for longer words), each after the first line's
/// indent.
std::string wrapped(std::string_view text, std::size_t indent) {
  const std::size_t width = help_width();
  std::string lines;
  std::size_t column = indent;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find_first_of(" \n"), text.size());
    const std::string_view word = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (word.empty()) continue;
    if (column > indent && column + 1 + word.size() > width) {
      lines += '\n' + std::string(indent, ' ');
      column = indent;
    }
    if (column > indent) {
      lines += ' ';
      ++column;
    }
    lines += word;
    column += word.size();
  }
  return lines;
}

std::string in_two_columns(const std::string& left, std::string_view right) {
  std::string line = "  " + left;
  if (right.empty()) return line + '\n';
  if (line.size() + 1 > left_column)
    line += '\n' + std::string(left_column, ' ');
  else
    line.resize(left_column, ' ');
  return line + wrapped(right, left_column) + '\n';
}

/// What a description says first, up to a full stop, a question mark, a colon or a semicolon.
std::string first_words(const std::string& text) {
  constexpr const char* ends = ".?:;";
  for (std::size_t end = text.find_first_of(ends); end != std::string::npos;
       end = text.find_first_of(ends, end + 1))
    if (end + 1 == text.size() || text[end + 1] == ' ' || text[end + 1] == '\n')
      return text.substr(0, text[end] == '?' ? end + 1 : end);
  return text;
}

/// How many letters one has to insert, remove or replace to get from one to the other.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), 0U);
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
}

/// The known word that is like it; empty: none is.
std::string nearest(const std::string& word, const std::vector<std::string>& known) {
  std::string best;
  std::size_t least = 2 + word.size() / 4;
  for (const std::string& candidate : known) {
    const std::size_t distance = edit_distance(word, candidate);
    if (distance >= least) continue;
    least = distance;
    best = candidate;
  }
  return best;
}

std::vector<std::string> flags_of(const CLI::App& app) {
  std::vector<std::string> flags;
  for (const CLI::Option* option : app.get_options())
    for (const std::string& name : option->get_lnames())
      flags.push_back("--" + name);
  return flags;
}

std::vector<std::string> subcommands_of(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* subcommand : app.get_subcommands([](const CLI::App*) { return true; }))
    names.push_back(subcommand->get_name());
  return names;
}

}  // namespace

std::string HelpFormatter::make_option(const CLI::Option* option, bool is_positional) const {
  std::string left = make_option_name(option, is_positional) + make_option_opts(option);
  // Whoever gives two flags that exclude each other is told so.
  left.resize(std::min(left.find(" Excludes:"), left.size()));
  return in_two_columns(left, make_option_desc(option));
}

std::string HelpFormatter::make_subcommand(const CLI::App* subcommand) const {
  return in_two_columns(subcommand->get_name(), first_words(subcommand->get_description()));
}

void add_help_command(CLI::App& app) {
  CLI::App* command = app.add_subcommand("help", "Shows the help of a subcommand.");
  const auto names = std::make_shared<std::vector<std::string>>();
  command->add_option("SUBCOMMAND", *names, "Subcommand, e.g. replay, or trace info")->expected(0, -1);
  command->callback([&app, names] {
    const CLI::App* asked = &app;
    std::string path = app.get_name();
    for (const std::string& name : *names) {
      const std::vector<std::string> known = subcommands_of(*asked);
      if (std::ranges::find(known, name) == known.end())
        throw CLI::ValidationError(fmt::format("{} has no subcommand {}", path, name));
      asked = asked->get_subcommand(name);
      path += ' ' + name;
    }
    fmt::print("{}", asked->help());
  });
}

std::string explain_usage(const CLI::App& app, const CLI::Error& error) {
  const CLI::App* called = &app;
  std::string path = app.get_name();
  while (!called->get_subcommands().empty()) {
    called = called->get_subcommands().front();
    path += ' ' + called->get_name();
  }
  const std::vector<std::string> extras = app.remaining(true);
  std::string problem = error.what();
  // What is not known explains why something else is missing.
  if ((dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr ||
       dynamic_cast<const CLI::RequiredError*>(&error) != nullptr) &&
      !extras.empty()) {
    const bool is_flag = extras.front().starts_with('-');
    const std::string meant = nearest(extras.front(), is_flag ? flags_of(*called) : subcommands_of(*called));
    problem =
        fmt::format("{} is no {} of {}", extras.front(), is_flag ? "flag" : "argument or subcommand", path);
    if (!meant.empty()) problem += fmt::format(". Did you mean {}?", meant);
  }
  const bool is_sentence = problem.ends_with('?') || problem.ends_with('.');
  return fmt::format("finegrain: {}{} See {} --help", problem, is_sentence ? "" : ".", path);
}

}  // namespace finegrain::cli
