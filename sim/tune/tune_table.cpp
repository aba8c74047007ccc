// SPDX-License-Identifier: MIT
#include "sim/tune/tune_table.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string_view>

#include "sim/policy/idle_ranks.hpp"
#include "sim/study/axis_values.hpp"
#include "traces/io/units.hpp"

namespace finegrain::tune {
namespace {

std::string program_of(const Run& run) {
  return study::variant_name(policy::variant_of(run), tuned_pattern());
}

const pattern::Pattern& matrix_of(const Candidate& candidate, const TuneAnswer& answer) {
  return *answer.inputs.problems[candidate.point->position(study::Axis::problem)];
}

/// A finalist's simulated value, in the objective's unit.
double value_of(const Candidate& candidate) {
  return *candidate.value(candidate.simulated);
}

double node_hours(const Candidate& candidate) {
  return *Judge{Objective::node_hours}.value(candidate.point->run, candidate.simulated);
}

bool any_energy(const TuneAnswer& answer) {
  return std::ranges::any_of(answer.finalists,
                             [](const Candidate& one) { return one.simulated.energy_j.has_value(); });
}

double percent_more(double value, double than) {
  return 100 * (value - than) / than;
}

std::vector<output::Cell> row_of(std::size_t place, const Candidate& candidate, const TuneAnswer& answer) {
  const Run& run = candidate.point->run;
  std::vector<output::Cell> row{static_cast<std::int64_t>(place),
                                answer.inputs.platforms[candidate.point->platform].platform.name,
                                matrix_of(candidate, answer).name(),
                                program_of(run),
                                block_size_of(run),
                                std::int64_t{run.ranks},
                                nodes_of(run),
                                std::string(to_string(candidate.point->placement))};
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
    const auto& energy_j = candidate.simulated.energy_j;
    row.push_back(energy_j ? output::Cell(*energy_j) : output::Cell());
    row.push_back(energy_j ? output::Cell(*energy_j * simulated_s) : output::Cell());
  }
  return row;
}

/// "compute 2" is of the kind "compute".
std::string kind_of(const std::string& phase) {
  return phase.substr(0, phase.find(' '));
}

/// The time of all phases of a kind together.
double phase_s(const study::Answer& answer, const std::string& kind) {
  double time_s = 0;
  for (const auto& [name, phase_time_s] : answer.phases_s)
    if (kind_of(name) == kind) time_s += phase_time_s;
  return time_s;
}

/// The kind of phase whose simulated times differ most between the two answers.
std::string most_different_phase(const study::Answer& a, const study::Answer& b) {
  std::string most;
  double difference_s = -1;
  for (const study::Answer* answer : {&a, &b}) {
    for (const auto& [name, time_s] : answer->phases_s) {
      const double here_s = std::abs(phase_s(a, kind_of(name)) - phase_s(b, kind_of(name)));
      if (here_s <= difference_s) continue;
      difference_s = here_s;
      most = kind_of(name);
    }
  }
  return most;
}

std::string why_second(const Candidate& first, const Candidate& second) {
  constexpr double too_little_percent = 1;  // below the precision of the simulation and of the closed form
  const double more_percent = percent_more(value_of(second), value_of(first));
  const Objective objective = first.judge.objective;
  const std::string more = objective == Objective::time
                               ? fmt::format("is {:.1f} % slower", more_percent)
                               : fmt::format("needs {:.1f} % more {}", more_percent, unit_of(objective));
  const std::string phase = most_different_phase(first.simulated, second.simulated);
  return fmt::format(
      "Second {}{}. Most different is {}: {:.4g} s there, {:.4g} s in the first (a phase's "
      "time "
      "is its slowest rank's, so they do not add up).",
      more, more_percent < too_little_percent ? ", too little to choose by" : "", phase,
      phase_s(second.simulated, phase), phase_s(first.simulated, phase));
}

/// @param ranked  all simulated
std::string cheapest(const std::vector<Candidate>& ranked, double within_percent) {
  const double best_s = *ranked.front().simulated.total_s;
  const auto of_all = std::ranges::min_element(ranked, {}, node_hours);
  auto of_those = ranked.begin();
  for (auto one = ranked.begin(); one != ranked.end(); ++one)
    if (percent_more(*one->simulated.total_s, best_s) <= within_percent &&
        node_hours(*one) < node_hours(*of_those))
      of_those = one;
  return fmt::format(
      "Fewest node-hours: number {} ({:.3g}, {:.2f} times the first's seconds). Of those within {:g} % of "
      "the "
      "first: number {} ({:.3g}).",
      of_all - ranked.begin() + 1, node_hours(*of_all), *of_all->simulated.total_s / best_s, within_percent,
      of_those - ranked.begin() + 1, node_hours(*of_those));
}

std::vector<std::string> declared_numbers(const TuneAnswer& answer) {
  if (answer.numbers.empty())
    return {
        "Numbers of the platform that nobody measured: there are none, or there was no time or memory to try "
        "them."};
  std::vector<std::string> notes;
  for (const auto& [number, winner] : other_winners(answer.numbers)) {
    notes.push_back(
        fmt::format("The answer depends on a number that is declared, not measured: with {} on {}, number {} "
                    "wins ({:.4g} {}; the first takes {:.4g} {}).",
                    number->text, answer.study.platforms[number->platform].stem().string(), winner + 1,
                    *number->values[winner], unit_of(answer.objective), number->values[0].value_or(0),
                    unit_of(answer.objective)));
  }
  if (notes.empty()) {
    notes.push_back(fmt::format(
        "No declared number makes another of the first {1} win when it is multiplied or divided by {0:g}.",
        declared_margin, answer.numbers.front().values.size()));
  }
  std::vector<std::string> names;
  for (const NumberTried& number : answer.numbers) {
    const std::string name = number.text.substr(0, number.text.find(' '));
    if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  }
  notes.push_back(fmt::format("Declared, and tried by simulating the first {} with each: {}.",
                              answer.numbers.front().values.size(), fmt::join(names, ", ")));
  return notes;
}

/// Why the search stopped, and what was not simulated.
std::string search_note(const TuneAnswer& answer, const std::optional<double>& budget_s) {
  const SearchReport& search = answer.search;
  const std::string did = fmt::format(
      "{} ways to run it: {} simulated for a few iterations, {} of them for all; {} not simulated.",
      search.candidates, search.screened, search.simulated, search.candidates - search.screened);
  if (search.could_still_win > 0)
    return fmt::format(
        "{} Stopped because the time was up (--budget {:g}s): {} of the others could still win.", did,
        budget_s.value_or(0), search.could_still_win);
  if (search.screened == search.candidates && search.simulated == search.candidates) return did;
  return did +
         " Stopped because none of the others could win, even if it were as far off its closed form, or its "
         "few iterations, as the search allows for (docs/tune.md).";
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

}  // namespace

std::string what_to_run(const TuneAnswer& answer) {
  const Candidate& best = answer.finalists.front();
  const Run& run = best.point->run;
  const std::int64_t nodes = nodes_of(run);
  const std::int64_t rows = number_of(run.problem, "rows", 1);
  const bool one_block = block_size_of(run) >= (rows - 1) / run.ranks + 1;
  return fmt::format(
      "Run {} on {}: {} on {}, {}{}, {}; it takes {} for {}{} (simulated).", program_of(run),
      answer.inputs.platforms[best.point->platform].platform.name, format_count(run.ranks, "rank"),
      format_count(nodes, "node"),
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
  table.columns = {{"place", "number"},
                   {"platform", "platform"},
                   {"matrix", "matrix"},
                   {"program", "program"},
                   {"blocksize", "BLOCKSIZE"},
                   {"ranks", "ranks"},
                   {"nodes", "nodes"},
                   {"placement", "placement"},
                   {"simulated_s", "simulated", 4},
                   {"closed_form_s", "closed form", 4},
                   {"closed_form_off_percent", "c.f. off %", 1},
                   {"slower_than_first_percent", "slower %", 1},
                   {"node_hours", "node-hours", 6}};
  if (answer.objective != Objective::time)
    table.columns.push_back(
        {"more_than_first_percent", fmt::format("more {} %", unit_of(answer.objective)), 1});
  if (any_energy(answer))
    table.columns.insert(table.columns.end(), {{"energy_j", "energy J", 3}, {"energy_delay_js", "J x s", 3}});
  for (std::size_t i = 0; i < answer.finalists.size(); ++i)
    table.rows.push_back(row_of(i + 1, answer.finalists[i], answer));
  table.notes.push_back(search_note(answer, budget_s));
  if (answer.search.interrupted > 0) {
    table.notes.push_back(fmt::format(
        "{} of them {} killed, or got no memory, twice: not counted as simulated, and not ranked. Use a "
        "smaller -j.",
        answer.search.interrupted, answer.search.interrupted == 1 ? "was" : "were"));
  }
  if (answer.cannot_run > 0) {
    table.notes.push_back(fmt::format("{} others cannot run. The first reasons: {}.", answer.cannot_run,
                                      fmt::join(answer.why_cannot, "; ")));
  }
  table.notes.push_back(fmt::format("Seconds of {}, {} a rank.",
                                    format_count(answer.study.iterations, "iteration"),
                                    format_count(answer.study.threads_per_rank, "thread")));
  std::vector<Run> runs;
  for (const Candidate& finalist : answer.finalists)
    runs.push_back(finalist.point->run);
  for (const auto& problem : answer.inputs.problems)
    for (const std::string& note : problem->notes())
      if (std::ranges::find(table.notes, note) == table.notes.end()) table.notes.push_back(note);
  std::ranges::move(policy::idle_ranks_notes(runs), std::back_inserter(table.notes));
  if (answer.finalists.size() > 1)
    table.notes.push_back(why_second(answer.finalists[0], answer.finalists[1]));
  table.notes.push_back(cheapest(answer.finalists, within_percent));
  std::ranges::move(declared_numbers(answer), std::back_inserter(table.notes));
  return table;
}

std::vector<output::Table> tune_tables_for_people(const output::Table& table) {
  output::Table what = part_of(table, {"place", "program", "blocksize", "ranks", "nodes", "placement"});
  output::Table where =
      part_of(table, {"place", "platform", "matrix", "simulated_s", "slower_than_first_percent"});
  output::Table costs = part_of(table, {"place", "closed_form_s", "closed_form_off_percent", "node_hours"});
  what.title = "What to run";
  where.title = "Where, and how long it takes";
  costs.title = "What it costs, and what the closed form says";
  std::vector<output::Table> tables{std::move(what), std::move(where), std::move(costs)};
  std::vector<std::string_view> of_energy{"place"};
  for (const output::Column& column : table.columns)
    if (column.key == "more_than_first_percent" || column.key.starts_with("energy"))
      of_energy.emplace_back(column.key);
  if (of_energy.size() > 1) {
    tables.push_back(part_of(table, of_energy));
    tables.back().title = "What it draws";
  }
  tables.back().notes = table.notes;
  return tables;
}

}  // namespace finegrain::tune
