// SPDX-License-Identifier: MIT
#include "traces/run.hpp"

#include <fmt/format.h>

#include "traces/io/input_error.hpp"

namespace finegrain {

std::int64_t number_of(const Problem& problem, const std::string& name, std::int64_t least,
                       std::int64_t most) {
  const auto found = problem.settings.find(name);
  const auto* number = found == problem.settings.end() ? nullptr : std::get_if<std::int64_t>(&found->second);
  if (number != nullptr && *number >= least && *number <= most) return *number;
  throw InputError(
      "problem",
      fmt::format("{} is no whole number between {} and {}, as {} needs", name, least, most, problem.pattern),
      "Record the trace again");
}

const std::string& text_of(const Problem& problem, const std::string& name) {
  const auto found = problem.settings.find(name);
  const auto* text = found == problem.settings.end() ? nullptr : std::get_if<std::string>(&found->second);
  if (text != nullptr) return *text;
  throw InputError("problem", fmt::format("{} is missing, which {} needs", name, problem.pattern),
                   "Record the trace again");
}

std::string_view to_string(Transfer transfer) {
  switch (transfer) {
    case Transfer::get:
      return "get";
    case Transfer::put:
      return "put";
    case Transfer::two_sided:
      return "two-sided";
  }
  return "unknown";
}

std::string_view to_string(Completion completion) {
  switch (completion) {
    case Completion::each:
      return "each";
    case Completion::together:
      return "together";
    case Completion::overlapped:
      return "overlapped";
  }
  return "unknown";
}

bool has_pattern(const Run& run) {
  return run.problem.pattern != "program";
}

std::string describe(const Run& run) {
  if (!has_pattern(run)) return text_of(run.problem, "command");
  const Completion usual = run.transfer == Transfer::two_sided ? Completion::together : Completion::each;
  std::string text = fmt::format("{} {} {}", run.problem.pattern, run.policy, to_string(run.transfer));
  if (run.completion != usual) text += fmt::format(" {}", to_string(run.completion));
  return text;
}

}  // namespace finegrain
