// SPDX-License-Identifier: MIT
#include "traces/changes/program_change.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <sstream>
#include <vector>

#include "traces/io/input_error.hpp"
#include "traces/io/nearest.hpp"
#include "traces/place_of_call.hpp"

namespace finegrain::changes {
namespace {

/// "x0.5"
double parse_factor(std::string_view value, const std::string& word) {
  double factor = 0;
  const bool has_x = value.starts_with('x');
  const std::string_view digits = value.substr(has_x ? 1 : 0);
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), factor);
  constexpr double most = 1e6;
  if (!has_x || error != std::errc() || end != digits.data() + digits.size() || !(factor >= 0) ||
      factor > most)
    throw InputError(change_flag, fmt::format("'{}' does not say how many times as much", word),
                     "Write it like size=x0.5");
  return factor;
}

bool has_place(RegionName call) {
  return line_of(call) != function_of(call);
}

/// "ocean/halo.c:8 or ice/halo.c:8" for "halo.c:8", or a name that is spelt much like it; empty: there is
/// none.
std::string meant(const std::string& place, const std::set<std::string>& places) {
  std::vector<std::string> same;
  std::ranges::copy_if(places, std::back_inserter(same),
                       [&](const std::string& other) { return other.ends_with("/" + place); });
  const std::vector<std::string> all(places.begin(), places.end());
  return same.empty() ? nearest(place, all) : fmt::format("{}", fmt::join(same, " or "));
}

}  // namespace

bool is_about(const ProgramChange& change, RegionName name) {
  return name != regions::compute && (change.place.empty() || change.place == line_of(name)) &&
         (change.function.empty() || change.function == function_of(name));
}

void refuse_unknown_calls(const ProgramChange& change, const std::set<RegionName>& names) {
  std::set<std::string> places;
  std::vector<std::string> functions;
  for (const RegionName name : names) {
    if (has_place(name)) places.emplace(line_of(name));
    functions.emplace_back(function_of(name));
  }
  const bool is_known_place = change.place.empty() || places.contains(change.place);
  const std::string near = is_known_place ? nearest(change.function, functions) : meant(change.place, places);
  if (!change.place.empty() && places.empty())
    throw InputError(change_flag,
                     fmt::format("calls are not listed by place, and '{}' names one", change.text),
                     "Add --by place");
  throw InputError(change_flag, fmt::format("no call of the recording is meant by '{}'", change.text),
                   near.empty() ? "See finegrain trace info --by place"
                                : fmt::format("Did you mean {}? See finegrain trace info --by place", near));
}

ProgramChange parse_program_change(const std::string& text) {
  ProgramChange change{.text = text};
  std::istringstream words(text);
  bool changes_calls = false;
  int restructured = 0;
  for (std::string word; words >> word;) {
    const std::size_t equals = word.find('=');
    const std::string key = word.substr(0, equals);
    const std::string value = equals == std::string::npos ? "" : word.substr(equals + 1);
    if (key == "place" && !value.empty()) {
      change.place = value;
    } else if (key == "function" && !value.empty()) {
      change.function = value;
    } else if (key == "size" || key == "work") {
      (key == "size" ? change.size_factor : change.work_factor) = parse_factor(value, word);
      changes_calls = true;
    } else if (key == "collective" && !value.empty()) {
      change.algorithm = value;
      changes_calls = true;
    } else if (word == "messages=merge") {
      change.merges_messages = true;
      ++restructured;
    } else if (word == "overlap") {
      change.overlaps_waits = true;
      ++restructured;
    } else {
      throw InputError(change_flag, fmt::format("'{}' is not known (of '{}')", word, text),
                       "Known are place=FILE:LINE, function=NAME, size=xFACTOR, work=xFACTOR, "
                       "collective=ALGORITHM, messages=merge and overlap");
    }
  }
  if (!changes_calls && restructured == 0)
    throw InputError(change_flag, fmt::format("'{}' does not say what changes", text),
                     "Add size=x0.5 or work=x0.5");
  if (restructured > 1 || (restructured > 0 && changes_calls))
    throw InputError(change_flag, fmt::format("'{}' is several changes at once", text),
                     "Give messages=merge and overlap a --change of their own");
  return change;
}

}  // namespace finegrain::changes
