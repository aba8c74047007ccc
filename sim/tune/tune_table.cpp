// SPDX-License-Identifier: MIT
#include "sim/tune/tune_table.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string_view>

#include "sim/answer/quantities.hpp"
#include "sim/output/text_table.hpp"
#include "sim/study/axis_values.hpp"
#include "sim/tune/tune_notes.hpp"
#include "traces/io/units.hpp"

namespace finegrain::tune {
namespace {

/// The beginning of the note that says what the rows' seconds are.
constexpr const char* seconds_of = "Seconds of";

std::string program_of(const Run& run) {
  return study::variant_name(policy::variant_of(run), tuned_pattern());
}

const pattern::Pattern& matrix_of(const Candidate& candidate, const TuneAnswer& answer) {
  return *answer.inputs.problems[candidate.point->position(study::Axis::problem)];
}

bool any_energy(const TuneAnswer& answer) {
  return std::ranges::any_of(
      answer.finalists, [](const Candidate& one) { return one.simulated.quantity("energy_j").has_value(); });
}

/// Nothing if the run's policy does not have the parameter.
output::Cell setting_cell(const Run& run, const pattern::Parameter& parameter) {
  const std::vector<pattern::Parameter> own = policy::policy(run).parameters();
  if (std::ranges::find(own, parameter.name, &pattern::Parameter::name) == own.end()) return {};
  return std::visit([](const auto& value) { return output::Cell(value); },
                    policy::setting_of(run, parameter.name));
}

std::vector<output::Cell> row_of(std::size_t place, const Candidate& candidate, const TuneAnswer& answer) {
  const Run& run = candidate.point->run;
  std::vector<output::Cell> row{static_cast<std::int64_t>(place),
                                answer.inputs.platforms[candidate.point->platform].platform.name,
                                matrix_of(candidate, answer).name(), program_of(run)};
  for (const pattern::Parameter& axis : axes_of(answer.study.variants))
    row.push_back(setting_cell(run, axis));
  row.insert(row.end(), {block_size_of(run), std::int64_t{run.ranks}, nodes_of(run),
                         std::string(to_string(candidate.point->placement))});
  const double simulated_s = *candidate.simulated.total_s;
  row.emplace_back(simulated_s);
  if (const auto& closed_form_s = candidate.closed_form.total_s) {
    row.emplace_back(*closed_form_s);
    row.emplace_back(percent_more(*closed_form_s, simulated_s));
  } else {
    row.resize(row.size() + 2);
  }
  row.emplace_back(percent_more(simulated_s, *answer.finalists.front().simulated.total_s));
  row.emplace_back(node_hours(candidate));
  if (answer.objective != Objective::time)
    row.emplace_back(percent_more(value_of(candidate), value_of(answer.finalists.front())));
  if (any_energy(answer)) {
    const std::optional<double> energy_j = candidate.simulated.quantity("energy_j");
    row.push_back(energy_j ? output::Cell(*energy_j) : output::Cell());
    row.push_back(energy_j ? output::Cell(*energy_j * simulated_s) : output::Cell());
  }
  return row;
}

std::string seconds_text(double time_s) {
  return fmt::format("{:.4g} s", time_s);
}

/// Digits after the point: those of the column, or more, so that its least number has four digits.
int decimals_of(const output::Table& table, std::size_t column) {
  constexpr int most = 15;
  int decimals = table.columns[column].decimals;
  for (const std::vector<output::Cell>& row : table.rows) {
    const auto* number = std::get_if<double>(&row[column]);
    if (number != nullptr && *number > 0)
      decimals = std::max(decimals, 3 - static_cast<int>(std::floor(std::log10(*number))));
  }
  return std::min(decimals, most);
}

output::Table part_of(const output::Table& table, const std::vector<std::string_view>& keys) {
  output::Table part;
  std::vector<std::size_t> places;
  for (const std::string_view key : keys) {
    const auto column = std::ranges::find(table.columns, key, &output::Column::key);
    places.push_back(static_cast<std::size_t>(column - table.columns.begin()));
    part.columns.push_back(*column);
    if (!key.ends_with("percent")) part.columns.back().decimals = decimals_of(table, places.back());
  }
  for (const std::vector<output::Cell>& row : table.rows) {
    std::vector<output::Cell>& cells = part.rows.emplace_back();
    for (const std::size_t place : places)
      cells.push_back(row[place]);
  }
  return part;
}

/// Keys of columns, of those that a table has.
using Keys = std::vector<std::string_view>;

/// The columns that say how a way runs, the most telling first; the first table has them where there is room.
Keys ways_columns(const output::Table& table) {
  Keys keys;
  const auto program = std::ranges::find(table.columns, "program", &output::Column::key);
  for (auto column = program + 1; column->key != "ranks"; ++column)
    keys.emplace_back(column->key);
  keys.insert(keys.end(), {"placement", "platform", "matrix"});
  return keys;
}

std::size_t place_of(const output::Table& table, std::string_view key) {
  return static_cast<std::size_t>(std::ranges::find(table.columns, key, &output::Column::key) -
                                  table.columns.begin());
}

/// Whether all rows have the same in a column; a single row shares only where and what.
bool is_shared(const output::Table& table, std::string_view key) {
  const std::size_t place = place_of(table, key);
  if (table.rows.size() == 1) return key == "platform" || key == "matrix";
  return std::ranges::all_of(table.rows, [&](const std::vector<output::Cell>& row) {
    return row[place] == table.rows.front()[place];
  });
}

/// What all rows share, e.g. "All on platform abel, with matrix heart.fgm".
std::string shared_text(const output::Table& table, const Keys& keys) {
  std::string text;
  for (const std::string_view key : keys) {
    const std::size_t place = place_of(table, key);
    const output::Cell& cell = table.rows.front()[place];
    const auto* words = std::get_if<std::string>(&cell);
    const auto* count = std::get_if<std::int64_t>(&cell);
    if (words == nullptr && count == nullptr) continue;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", table.columns[place].heading,
                        words != nullptr ? *words : fmt::format("{}", *count));
  }
  return fmt::format("All rows: {}.", text);
}

/// The keys in the order of the table's columns.
Keys in_order(const output::Table& table, Keys keys) {
  std::ranges::sort(keys, {}, [&](std::string_view key) { return place_of(table, key); });
  return keys;
}

/// What to run and how long it takes, and what did not fit beside it.
std::vector<output::Table> first_tables(const output::Table& table) {
  constexpr std::size_t terminal_width = 80;
  Keys shown{"place", "program", "ranks", "nodes", "simulated_s", "slower_than_first_percent"};
  if (place_of(table, "more_than_first_percent") < table.columns.size())
    shown.emplace_back("more_than_first_percent");
  Keys shared;
  Keys rest{"place"};
  for (const std::string_view key : ways_columns(table)) {
    if (is_shared(table, key)) {
      shared.push_back(key);
      continue;
    }
    shown.push_back(key);
    if (output::table_width(part_of(table, in_order(table, shown))) <= terminal_width) continue;
    shown.pop_back();
    rest.push_back(key);
  }
  std::vector<output::Table> tables{part_of(table, in_order(table, shown))};
  tables.front().title = "What to run, and how long it takes";
  if (!shared.empty()) tables.front().notes = {shared_text(table, shared)};
  if (rest.size() > 1) {
    tables.push_back(part_of(table, in_order(table, rest)));
    tables.back().title = "More of what to run";
  }
  return tables;
}

}  // namespace

std::string what_to_run(const TuneAnswer& answer) {
  const Candidate& best = answer.finalists.front();
  const Run& run = best.point->run;
  const std::int64_t nodes = nodes_of(run);
  const std::int64_t rows = number_of(run.problem, "rows", 1);
  const bool one_block = block_size_of(run) >= (rows - 1) / run.ranks + 1;
  const study::ChangedPlatform& changed = answer.inputs.platforms[best.point->platform];
  const std::string settings = settings_text(run.policy_settings);
  return fmt::format(
      "Run {}{} on {}: {} on {}{}, {}{}, {}; it takes {} for {}{} (simulated).", program_of(run),
      settings.empty() ? "" : fmt::format(", {},", settings), changed.platform.name,
      format_count(run.ranks, "rank"), format_count(nodes, "node"),
      changed.hosts == 1 ? ""
                         : fmt::format(" (tried {} of its {})",
                                       numbers_text(answer.nodes_tried[best.point->platform]), changed.hosts),
      one_block ? std::string("one block a rank") : fmt::format("BLOCKSIZE {}", block_size_of(run)),
      nodes == 1 ? "" : fmt::format(", placed {}", to_string(best.point->placement)),
      matrix_of(best, answer).description(), seconds_text(*best.simulated.total_s),
      format_count(run.iterations, "iteration"),
      answer.objective == Objective::time
          ? ""
          : fmt::format(", {:.4g} {}", value_of(best), unit_of(answer.objective)));
}

output::Table tune_table(const TuneAnswer& answer, const std::optional<double>& budget_s,
                         double within_percent) {
  output::Table table;
  table.title = what_to_run(answer);
  table.columns = {
      {"place", "number"}, {"platform", "platform"}, {"matrix", "matrix"}, {"program", "program"}};
  for (const pattern::Parameter& axis : axes_of(answer.study.variants))
    table.columns.push_back({axis.name, axis.label.empty() ? axis.name : axis.label});
  table.columns.insert(table.columns.end(),
                       {{"blocksize", "BLOCKSIZE"},
                        {"ranks", "ranks"},
                        {"nodes", "nodes"},
                        {"placement", "placement"},
                        {"simulated_s", "simulated s", 4},
                        {"closed_form_s", "closed form s", 4},
                        {"closed_form_off_percent", "c.f. off %", 1},
                        {"slower_than_first_percent", "slower %", 1, output::Origin::simulated},
                        {"node_hours", "node-hours", 6, output::Origin::simulated}});
  if (answer.objective != Objective::time)
    table.columns.push_back({"more_than_first_percent", fmt::format("more {} %", unit_of(answer.objective)),
                             1, output::Origin::simulated});
  if (any_energy(answer))
    for (const std::string_view name : {"energy_j", "energy_delay_js"})
      table.columns.push_back(answer::column_of(answer::quantity(name)));
  for (std::size_t i = 0; i < answer.finalists.size(); ++i)
    table.rows.push_back(row_of(i + 1, answer.finalists[i], answer));
  table.notes = tune_notes(answer, budget_s, within_percent);
  const bool are_all = answer.search.simulated == answer.search.candidates;
  table.notes.push_back(fmt::format("{} {}, {} a rank. slower %: than number 1.{}", seconds_of,
                                    format_count(answer.study.iterations, "iteration"),
                                    format_count(answer.study.threads_per_rank, "thread"),
                                    are_all ? ""
                                            : " The lower rows are no ranking: ways that could not win were "
                                              "not simulated to the end, and may be faster than these."));
  for (const auto& problem : answer.inputs.problems)
    for (const std::string& note : problem->notes())
      if (std::ranges::find(table.notes, note) == table.notes.end()) table.notes.push_back(note);
  return table;
}

std::vector<output::Table> tune_tables_for_people(const output::Table& table) {
  std::vector<output::Table> tables = first_tables(table);
  tables.push_back(part_of(table, {"place", "closed_form_s", "closed_form_off_percent", "node_hours"}));
  tables.back().title = "What it costs, and what the closed form says";
  tables.back().notes = {
      "c.f. off %: how much more than the simulation the closed form says. node-hours: nodes x simulated "
      "time."};
  Keys of_energy{"place"};
  for (const output::Column& column : table.columns)
    if (column.key.starts_with("energy")) of_energy.emplace_back(column.key);
  if (of_energy.size() > 1) {
    tables.push_back(part_of(table, of_energy));
    tables.back().title = "What it draws";
  }
  // What the rows mean stands below the first of them, the reasons below all.
  for (const std::string& note : table.notes)
    (note.starts_with(seconds_of) ? tables.front() : tables.back()).notes.push_back(note);
  return tables;
}

}  // namespace finegrain::tune
