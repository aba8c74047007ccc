// SPDX-License-Identifier: MIT
#include "sim/pattern/pattern.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cassert>
#include <charconv>

#include "traces/io/input_error.hpp"

namespace finegrain::pattern {

// Made by CMake: each file NAME_pattern.cpp of this folder defines a function NAME_pattern().
std::vector<const PatternKind*> patterns_of_files();

void Pattern::accesses(const Run& /*run*/, const OnAccesses& /*visit*/) const {
  assert(false);
}

void Pattern::needed_blocks(const Run& /*run*/, const OnBlocks& /*visit*/) const {
  assert(false);
}

SharedElements PatternKind::shared_elements(const Run& /*run*/) const {
  assert(false);
  return {};
}

model::Formula PatternKind::own_formula(const Run& /*run*/, model::ClosedForm /*form*/,
                                        const problem::Placement& /*placement*/) const {
  assert(false);
  return {};
}

model::Formula PatternKind::own_formula_between(const Run& run, model::ClosedForm form,
                                                const problem::Placement& placement, int /*rank*/,
                                                int /*peer*/) const {
  return own_formula(run, form, placement);
}

void refuse_text(const PatternKind& kind, const std::string& text, const std::string& trace) {
  if (text.empty()) return;
  throw InputError(kind.flag(), fmt::format("{} already says what it ran on", trace), "Leave it out");
}

const std::vector<const PatternKind*>& pattern_kinds() {
  static const std::vector<const PatternKind*> all = [] {
    std::vector<const PatternKind*> found = patterns_of_files();
    std::ranges::sort(found, {}, &PatternKind::order);
    return found;
  }();
  return all;
}

const PatternKind& pattern_kind(const std::string& name) {
  const auto found = std::ranges::find(pattern_kinds(), name, &PatternKind::name);
  if (found != pattern_kinds().end()) return **found;
  std::vector<std::string> names;
  for (const PatternKind* known : pattern_kinds())
    names.push_back(known->name());
  throw InputError(
      "pattern", fmt::format("this finegrain does not know '{}' (it knows {})", name, fmt::join(names, ", ")),
      "Use the finegrain that has it");
}

std::vector<Parameter> pattern_parameters() {
  std::vector<Parameter> all;
  for (const PatternKind* kind : pattern_kinds())
    for (const Parameter& parameter : kind->parameters())
      if (std::ranges::find(all, parameter.name, &Parameter::name) == all.end()) all.push_back(parameter);
  return all;
}

const PatternKind* pattern_of_flag(const std::string& flag) {
  const auto found = std::ranges::find(pattern_kinds(), flag, &PatternKind::flag);
  return found == pattern_kinds().end() ? nullptr : *found;
}

const PatternKind& pattern_kind(const Run& run) {
  return pattern_kind(run.problem.pattern);
}

Value parse_value(const Parameter& parameter, const std::string& text, const std::string& place) {
  if (!parameter.words.empty()) {
    if (std::ranges::find(parameter.words, text) != parameter.words.end()) return text;
    throw InputError(place, fmt::format("'{}' is none of {}", text, fmt::join(parameter.words, ", ")),
                     "Use one");
  }
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error == std::errc() && end == text.data() + text.size()) return number;
  throw InputError(place, fmt::format("'{}' is no whole number", text),
                   fmt::format("Give one, {} or more", parameter.least));
}

}  // namespace finegrain::pattern
