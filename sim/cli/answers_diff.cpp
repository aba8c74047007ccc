// SPDX-License-Identifier: MIT
// Runs are matched by what a file says of them: problem, ranks, platform and so on. What is the same in all
// answers of a file is left out: it may be just what was changed, such as the name of a trace.
#include "sim/cli/answers_diff.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <map>
#include <optional>
#include <set>

#include "sim/cli/kept_answers.hpp"
#include "traces/io/input_error.hpp"
#include "traces/io/units.hpp"

namespace finegrain::cli {
namespace {

constexpr const char* rest_of_run = "outside of regions";

/// The values that each part has in a file.
std::map<std::string, std::set<std::string>> values_of(const KeptAnswers& kept) {
  std::map<std::string, std::set<std::string>> values;
  for (const KeptAnswer& answer : kept.answers)
    for (const auto& [part, value] : answer.parts)
      values[part].insert(value);
  return values;
}

/// Parts that have one value in each file, or are in one file only: runs are not told apart by them.
struct CommonParts {
  std::set<std::string> names;
  std::vector<std::string> changes;  ///< for notes: "name: before -> after"
};

CommonParts common_parts(const KeptAnswers& before, const KeptAnswers& after) {
  CommonParts common;
  const auto of_after = values_of(after);
  for (const auto& [part, values] : values_of(before)) {
    const auto others = of_after.find(part);
    if (others != of_after.end() && (values.size() > 1 || others->second.size() > 1)) continue;
    common.names.insert(part);
    if (others != of_after.end() && values != others->second)
      common.changes.push_back(fmt::format("{}: {} -> {}", part, *values.begin(), *others->second.begin()));
  }
  for (const auto& [part, values] : of_after)
    if (!values_of(before).contains(part)) common.names.insert(part);
  return common;
}

RunParts told_by(const KeptAnswer& answer, const CommonParts& common) {
  RunParts parts;
  std::ranges::copy_if(answer.parts, std::back_inserter(parts),
                       [&](const auto& part) { return !common.names.contains(part.first); });
  std::ranges::sort(parts);
  return parts;
}

std::map<RunParts, const KeptAnswer*> by_parts(const KeptAnswers& kept, const CommonParts& common,
                                               const std::string& path) {
  std::map<RunParts, const KeptAnswer*> answers;
  for (const KeptAnswer& answer : kept.answers)
    if (!answers.emplace(told_by(answer, common), &answer).second)
      throw InputError(path, "has two answers of one run, and nothing tells them apart", "Keep one of them");
  return answers;
}

std::string platform_of(const KeptAnswer& answer) {
  const auto part = std::ranges::find(answer.parts, "platform", &std::pair<std::string, std::string>::first);
  return part == answer.parts.end() ? "" : part->second;
}

/// Names of runs, "heat, ranks 4", by no more parts than it takes to tell them apart.
class RunNames {
 public:
  RunNames(const std::vector<const KeptAnswer*>& answers, const CommonParts& common) {
    std::size_t told_apart = 1;
    for (const auto& [part, value] : answers.front()->parts) {
      if (part == "platform" || common.names.contains(part)) continue;
      parts_.insert(part);
      std::set<std::string> names;
      for (const KeptAnswer* answer : answers)
        names.insert(name(*answer));
      if (names.size() == told_apart) parts_.erase(part);
      told_apart = names.size();
    }
  }

  std::string name(const KeptAnswer& answer) const {
    std::vector<std::string> words;
    for (const auto& [part, value] : answer.parts) {
      if (!parts_.contains(part) || value == "null") continue;
      const bool is_number = value.find_first_not_of("0123456789.") == std::string::npos;
      words.push_back(is_number ? part + " " + value : value);
    }
    return words.empty() ? "all" : fmt::format("{}", fmt::join(words, ", "));
  }

 private:
  std::set<std::string> parts_;
};

/// A run that both files have, or one of them.
struct AnswerPair {
  const KeptAnswer* before = nullptr;
  const KeptAnswer* after = nullptr;
  const KeptAnswer& any() const { return after != nullptr ? *after : *before; }
};

std::vector<AnswerPair> pairs_of(const KeptAnswers& before,
                                 const std::map<RunParts, const KeptAnswer*>& of_before,
                                 const KeptAnswers& after,
                                 const std::map<RunParts, const KeptAnswer*>& of_after,
                                 const CommonParts& common) {
  const auto find = [](const auto& answers, const RunParts& parts) {
    const auto found = answers.find(parts);
    return found == answers.end() ? nullptr : found->second;
  };
  std::vector<AnswerPair> pairs;
  for (const KeptAnswer& answer : before.answers)
    pairs.push_back({&answer, find(of_after, told_by(answer, common))});
  for (const KeptAnswer& answer : after.answers)
    if (find(of_before, told_by(answer, common)) == nullptr) pairs.push_back({nullptr, &answer});
  return pairs;
}

std::optional<double> seconds_of(const KeptAnswer* answer, const std::string& origin) {
  if (answer == nullptr || !answer->seconds.contains(origin)) return std::nullopt;
  return answer->seconds.at(origin);
}

double change_of(double before_s, double after_s) {
  const double change_s = after_s - before_s;
  return std::abs(change_s) <= 1e-12 * std::max(std::abs(before_s), std::abs(after_s)) ? 0 : change_s;
}

output::Origin origin_named(const std::string& origin) {
  return origin == "measured"    ? output::Origin::measured
         : origin == "simulated" ? output::Origin::simulated
                                 : output::Origin::closed_form;
}

output::Table empty_table(const char* name, const std::string& origin, bool has_regions) {
  output::Table table;
  table.name = name;
  table.columns = {{"run", "run"}, {"platform", "platform"}};
  if (has_regions) table.columns.push_back({"region", "region"});
  for (const auto& [key, heading] :
       {std::pair("before_s", "before"), {"now_s", "now"}, {"change_s", "change"}})
    table.columns.push_back({key, heading, 6, origin_named(origin)});
  return table;
}

/// Adds a row, and its numbers to the sums.
void add_row(output::Table& table, std::vector<output::Cell> cells, std::optional<double> before_s,
             std::optional<double> after_s, std::array<double, 2>& sums) {
  for (const std::optional<double>& seconds : {before_s, after_s})
    cells.push_back(seconds ? output::Cell(*seconds) : output::Cell());
  const bool has_both = before_s && after_s;
  cells.push_back(has_both ? output::Cell(change_of(*before_s, *after_s)) : output::Cell());
  table.rows.push_back(std::move(cells));
  if (!has_both) return;
  sums[0] += *before_s;
  sums[1] += *after_s;
}

void add_sum(output::Table& table, std::size_t texts, const std::array<double, 2>& sums) {
  std::vector<output::Cell> cells(texts);
  cells.front() = "sum";
  cells.insert(cells.end(), {sums[0], sums[1], change_of(sums[0], sums[1])});
  table.rows.push_back(std::move(cells));
}

output::Table table_of_runs(const std::vector<AnswerPair>& pairs, const RunNames& names,
                            const std::string& origin) {
  output::Table table = empty_table("runs", origin, false);
  table.columns.push_back({"change_percent", "%", 1, origin_named(origin)});
  std::array<double, 2> sums{};
  const auto add_percent = [&] {
    const auto* was = std::get_if<double>(&table.rows.back()[2]);
    const auto* change = std::get_if<double>(&table.rows.back()[4]);
    table.rows.back().push_back(was != nullptr && change != nullptr && *was > 0
                                    ? output::Cell(100 * *change / *was)
                                    : output::Cell());
  };
  for (const AnswerPair& pair : pairs) {
    add_row(table, {names.name(pair.any()), platform_of(pair.any())}, seconds_of(pair.before, origin),
            seconds_of(pair.after, origin), sums);
    add_percent();
  }
  add_sum(table, 2, sums);
  add_percent();
  return table;
}

output::Table table_of_regions(const std::vector<AnswerPair>& pairs, const RunNames& runs,
                               const std::string& regions_are) {
  output::Table table = empty_table("regions", "simulated", true);
  table.title = fmt::format("By region: simulated seconds ({})", regions_are);
  std::array<double, 2> sums{};
  for (const AnswerPair& pair : pairs) {
    const auto& before = pair.before;
    const auto& after = pair.after;
    const auto total_before = seconds_of(before, "simulated");
    const auto total_after = seconds_of(after, "simulated");
    if (!total_before || !total_after) continue;
    std::vector<std::string> names;
    std::map<std::string, std::array<double, 2>> regions;
    regions[rest_of_run] = {*total_before, *total_after};
    for (std::size_t side = 0; side < 2; ++side)
      for (const auto& [name, seconds] : (side == 0 ? before : after)->regions_s) {
        if (!regions.contains(name)) names.push_back(name);
        regions[name].at(side) += seconds;
        regions[rest_of_run].at(side) -= seconds;
      }
    const double rounding_s = 1e-12 * std::max(*total_before, *total_after);
    if (!names.empty() && std::ranges::any_of(regions[rest_of_run],
                                              [&](double rest_s) { return std::abs(rest_s) > rounding_s; }))
      names.emplace_back(rest_of_run);
    std::array<double, 2> alike_s{};
    std::size_t alike = 0;
    const auto add = [&](std::string region, const std::array<double, 2>& seconds) {
      add_row(table, {runs.name(*after), platform_of(*after), std::move(region)}, seconds[0], seconds[1],
              sums);
    };
    for (const std::string& name : names) {
      const std::array<double, 2>& seconds = regions[name];
      if (std::abs(seconds[1] - seconds[0]) > rounding_s) {
        add(name, seconds);
        continue;
      }
      ++alike;
      for (std::size_t side = 0; side < 2; ++side)
        alike_s.at(side) += seconds.at(side);
    }
    if (alike > 0) add(fmt::format("{} alike", alike), alike_s);
  }
  if (!table.rows.empty()) add_sum(table, 3, sums);
  table.notes = {
      fmt::format("{}: what is left of the run's seconds, so that the sum is that of the runs", rest_of_run)};
  return table;
}

/// The first of simulated, measured, closed form that both have of a run.
std::string compared_origin(const std::vector<AnswerPair>& pairs, const std::string& after) {
  for (const auto& [key, origin] : origins_of_seconds)
    for (const AnswerPair& pair : pairs)
      if (seconds_of(pair.before, origin) && seconds_of(pair.after, origin)) return origin;
  throw InputError(after, "has no run that the other file has",
                   "Ask both times for the same problems, ranks and platforms");
}

}  // namespace

AnswersDiff diff_answers(const std::string& before, const std::string& after) {
  const KeptAnswers was = read_answers(before);
  const KeptAnswers is = read_answers(after);
  if (was.whole != is.whole)
    throw InputError(after, fmt::format("has seconds {}, and {} {}", is.whole, before, was.whole),
                     "Keep both by the same command");
  const CommonParts common = common_parts(was, is);
  const std::vector<AnswerPair> pairs =
      pairs_of(was, by_parts(was, common, before), is, by_parts(is, common, after), common);
  const std::string origin = compared_origin(pairs, after);
  std::vector<const KeptAnswer*> all;
  for (const AnswerPair& pair : pairs)
    all.push_back(&pair.any());
  const RunNames names(all, common);
  AnswersDiff diff;
  output::Table& runs = diff.tables.emplace_back(table_of_runs(pairs, names, origin));
  const auto alone = std::ranges::count_if(
      pairs, [](const AnswerPair& pair) { return pair.before == nullptr || pair.after == nullptr; });
  const auto longer = std::ranges::count_if(pairs, [&](const AnswerPair& pair) {
    const auto before_s = seconds_of(pair.before, origin);
    const auto after_s = seconds_of(pair.after, origin);
    return before_s && after_s && change_of(*before_s, *after_s) != 0;
  });
  diff.any = alone + longer > 0;
  runs.title = fmt::format(
      "{} -> {}: {}", before, after,
      longer == 0
          ? "the same seconds"
          : fmt::format("{} with other seconds", format_count(static_cast<std::uint64_t>(longer), "run")));
  runs.notes.push_back(fmt::format("before, now: seconds {}, {}", was.whole, origin));
  if (alone > 0) runs.notes.emplace_back("runs that only one file has are not part of the sum");
  for (const std::string& change : common.changes)
    runs.notes.push_back(change);
  if (output::Table regions = table_of_regions(pairs, names, was.regions);
      origin == "simulated" && !regions.rows.empty())
    diff.tables.push_back(std::move(regions));
  return diff;
}

}  // namespace finegrain::cli
