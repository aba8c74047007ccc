// SPDX-License-Identifier: MIT
#include "sim/cli/launcher_errors.hpp"

#include <charconv>
#include <initializer_list>
#include <utility>

namespace finegrain::cli {
namespace {

/// Begins and ends each of Open MPI's pages.
constexpr std::string_view page_rule =
    "--------------------------------------------------------------------------\n";

/// Of the pages that say how a job ended. Source: Open MPI 4.1, orte/tools/orterun/help-orterun.txt and
/// orte/mca/state/base/help-state-base.txt.
bool tells_end(std::string_view line) {
  for (const std::string_view words : {" noticed that ", "Primary job  terminated normally, but ",
                                       " detected that one or more processes exited with non-zero status"})
    if (line.find(words) != std::string_view::npos) return true;
  return false;
}

/// The n of "noticed that process rank n with PID ... exited on signal ...".
std::optional<int> rank_named(std::string_view line) {
  constexpr std::string_view before = "noticed that process rank ";
  const std::size_t found = line.find(before);
  if (found == std::string_view::npos || line.find("exited on signal ") == std::string_view::npos)
    return std::nullopt;
  int rank = 0;
  const char* digits = line.data() + found + before.size();
  if (std::from_chars(digits, line.data() + line.size(), rank).ec != std::errc()) return std::nullopt;
  return rank;
}

}  // namespace

std::string LauncherErrors::pass(std::string_view text) {
  std::string passed;
  for (const char c : text) {
    line_ += c;
    if (c == '\n')
      passed += pass_line(std::exchange(line_, {}));
    else if (state_ == State::text && (in_line_ || !page_rule.starts_with(line_))) {
      // Progress is shown in lines without an end.
      passed += std::exchange(line_, {});
      in_line_ = true;
    }
  }
  return passed;
}

std::string LauncherErrors::pass_line(std::string line) {
  const bool rule = !std::exchange(in_line_, false) && line == page_rule;
  switch (state_) {
    case State::text:
      if (!rule) return line;
      state_ = State::rule;
      return {};
    case State::rule:
      state_ = tells_end(line) ? State::left_out : State::text;
      if (state_ == State::text) {
        // Between two pages there are two rules.
        if (rule) state_ = State::rule;
        return rule ? line : std::string(page_rule) + line;
      }
      [[fallthrough]];
    case State::left_out:
      if (!killed_rank_) killed_rank_ = rank_named(line);
      if (rule) state_ = State::text;
      return {};
  }
  return line;
}

std::string LauncherErrors::rest() {
  return (state_ == State::rule ? std::string(page_rule) : std::string()) + std::exchange(line_, {});
}

}  // namespace finegrain::cli
