// SPDX-License-Identifier: MIT
#include "sim/cli/launcher_errors.hpp"

#include <charconv>
#include <initializer_list>
#include <utility>

namespace finegrain::cli {
namespace {

constexpr std::size_t longest_noted = 1000;

/// Begins and ends each of Open MPI's pages.
constexpr std::string_view page_rule =
    "--------------------------------------------------------------------------\n";

/// Words of the pages that say how a job ended. Source: Open MPI 4.1, orte/tools/orterun/help-orterun.txt and
/// orte/mca/state/base/help-state-base.txt.
bool tells_end(std::string_view line) {
  for (const std::string_view words : {" noticed that ", "Primary job  terminated normally, but ",
                                       " detected that one or more processes exited with non-zero status"})
    if (line.find(words) != std::string_view::npos) return true;
  return false;
}

/// Words of the pages that say why a job could not be started. Source: the same, orte/mca/odls/base and
/// orte/mca/rmaps/base.
bool tells_no_start(std::string_view line) {
  for (const std::string_view words :
       {" was unable to ", "There are not enough slots", "Open MPI tried to fork ",
        "All nodes which are allocated for this job are already filled"})
    if (line.find(words) != std::string_view::npos) return true;
  return false;
}

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r\n") + 1 - first);
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
    if (whole_line_.size() < longest_noted || c == '\n') whole_line_ += c;
    if (c == '\n') {
      const bool begins_page = state_ == State::rule;
      passed += pass_line(std::exchange(line_, {}));
      if (state_ != State::left_out) note(whole_line_, begins_page);
      whole_line_.clear();
    } else if (state_ == State::text && (in_line_ || !page_rule.starts_with(line_))) {
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
      told_exit_ = told_exit_ || line.find(" exited with non-zero status") != std::string::npos;
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

/// @param begins_page  it follows a rule
void LauncherErrors::note(std::string_view line, bool begins_page) {
  if (reason_ != Reason::none) note_reason(line);
  if (begins_page && not_started_.empty() && tells_no_start(line)) {
    reason_ = Reason::sentence;
    note_reason(line);
  }
  // MPICH's launcher, and srun, say it in a line.
  for (const std::string_view words : {"execvp error on file ", "execve(): "})
    if (const std::size_t found = line.find(words); found != std::string_view::npos && not_started_.empty())
      not_started_ = trimmed(line.substr(found));
  // Source: traces/rank_file_writer.cpp, kernels/recorder/other_mpi.cpp.
  constexpr std::string_view stops = ": recording stopped (";
  if (const std::size_t found = line.find(stops); found != std::string_view::npos && stopped_.empty()) {
    const std::string_view reason = line.substr(found + stops.size());
    stopped_ = reason.substr(0, reason.find(")."));
  }
  is_other_mpi_ = is_other_mpi_ || line.find("this recorder is for another MPI") != std::string_view::npos;
}

/// Its first paragraph, and what that names after a colon, e.g. "Executable: ./my_code".
void LauncherErrors::note_reason(std::string_view line) {
  const std::string_view words = trimmed(line);
  if (line == page_rule) {
    reason_ = Reason::none;
  } else if (words.empty()) {
    reason_ = not_started_.ends_with(':') ? Reason::subject : Reason::none;
    while (not_started_.ends_with('.'))
      not_started_.pop_back();
  } else {
    not_started_ += not_started_.empty() ? "" : " ";
    constexpr std::string_view label = "Executable:";
    not_started_ += trimmed(words.starts_with(label) ? words.substr(label.size()) : words);
    if (reason_ == Reason::subject) reason_ = Reason::none;
  }
}

std::string LauncherErrors::rest() {
  return (state_ == State::rule ? std::string(page_rule) : std::string()) + std::exchange(line_, {});
}

}  // namespace finegrain::cli
