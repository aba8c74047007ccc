// SPDX-License-Identifier: MIT
#include "sim/cli/launcher_errors.hpp"

#include <algorithm>
#include <charconv>
#include <initializer_list>
#include <utility>

namespace finegrain::cli {
namespace {

constexpr std::size_t longest_noted = 1000;

/// Begins and ends each of Open MPI's pages.
constexpr std::string_view page_rule =
    "--------------------------------------------------------------------------\n";

bool has_any(std::string_view line, std::initializer_list<std::string_view> words) {
  return std::ranges::any_of(words, [&](std::string_view word) { return line.find(word) != line.npos; });
}

/// Words of the pages that say how a job ended. Source: Open MPI 4.1, orte/tools/orterun/help-orterun.txt and
/// orte/mca/state/base/help-state-base.txt.
bool tells_end(std::string_view line) {
  return has_any(line, {" noticed that ", "Primary job  terminated normally, but ",
                        " detected that one or more processes exited with non-zero status"});
}

/// Words of the pages that say why a job could not be started. Source: the same, orte/mca/odls/base and
/// orte/mca/rmaps/base.
bool tells_no_start(std::string_view line) {
  return has_any(line, {" was unable to ", "There are not enough slots", "Open MPI tried to fork ",
                        "All nodes which are allocated for this job are already filled"});
}

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r\n") + 1 - first);
}

/// The n of "noticed that process rank n with PID ... exited on signal ..."; -1: it is another line.
int rank_named(std::string_view line) {
  constexpr std::string_view before = "noticed that process rank ";
  const std::size_t found = line.find(before);
  int rank = -1;
  if (found != line.npos && has_any(line, {"exited on signal "}))
    std::from_chars(line.data() + found + before.size(), line.data() + line.size(), rank);
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
      said_.told_exit = said_.told_exit || has_any(line, {" exited with non-zero status"});
      if (state_ == State::text) {
        // Between two pages there are two rules.
        if (rule) state_ = State::rule;
        return rule ? line : std::string(page_rule) + line;
      }
      [[fallthrough]];
    case State::left_out:
      if (said_.killed_rank < 0) said_.killed_rank = rank_named(line);
      if (rule) state_ = State::text;
      return {};
  }
  return line;
}

/// @param begins_page  it follows a rule
void LauncherErrors::note(std::string_view line, bool begins_page) {
  if (reason_ != Reason::none) note_reason(line);
  if (begins_page && said_.not_started.empty() && tells_no_start(line)) {
    reason_ = Reason::sentence;
    note_reason(line);
  }
  // MPICH's launcher, and srun, say it in a line.
  for (const std::string_view words : {"execvp error on file ", "execve(): "})
    if (const std::size_t found = line.find(words);
        found != std::string_view::npos && said_.not_started.empty())
      said_.not_started = trimmed(line.substr(found));
  // Source: traces/rank_file_writer.cpp, kernels/recorder/other_mpi.cpp.
  constexpr std::string_view stops = ": recording stopped (";
  if (const std::size_t found = line.find(stops);
      found != std::string_view::npos && said_.recording_stopped.empty()) {
    const std::string_view reason = line.substr(found + stops.size());
    said_.recording_stopped = reason.substr(0, reason.find(")."));
  }
  said_.is_other_mpi = said_.is_other_mpi || has_any(line, {"this recorder is for another MPI"});
}

/// Its first paragraph, and what that names after a colon, e.g. "Executable: ./my_code".
void LauncherErrors::note_reason(std::string_view line) {
  const std::string_view words = trimmed(line);
  if (line == page_rule) {
    reason_ = Reason::none;
  } else if (words.empty()) {
    reason_ = said_.not_started.ends_with(':') ? Reason::subject : Reason::none;
    while (said_.not_started.ends_with('.'))
      said_.not_started.pop_back();
  } else if (said_.not_started.size() < longest_noted) {
    said_.not_started += said_.not_started.empty() ? "" : " ";
    constexpr std::string_view label = "Executable:";
    said_.not_started += trimmed(words.starts_with(label) ? words.substr(label.size()) : words);
    if (reason_ == Reason::subject) reason_ = Reason::none;
  }
}

std::string LauncherErrors::rest() {
  return (state_ == State::rule ? std::string(page_rule) : std::string()) + std::exchange(line_, {});
}

}  // namespace finegrain::cli
