// SPDX-License-Identifier: MIT
#include "sim/tune/tune_table.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "sim/study/axis_values.hpp"

namespace finegrain {
namespace {

constexpr double seconds_per_hour = 3600;

std::string program_of(const Run& run) {
  return program_name({run.policy, run.transfer, run.completion}, spmv_programs());
}

std::int64_t nodes_of(const Run& run) {
  return Placement(run.ranks, run.ranks_per_node).nodes();
}

double node_hours(const Candidate& candidate) {
  return static_cast<double>(nodes_of(candidate.point->run)) * *candidate.simulated.total_s /
         seconds_per_hour;
}

double percent_more(double value, double than) {
  return 100 * (value - than) / than;
}

std::vector<Cell> row_of(std::size_t place, const Candidate& candidate, const TuneAnswer& answer) {
  const Run& run = candidate.point->run;
  std::vector<Cell> row{static_cast<std::int64_t>(place),
                        answer.inputs.machines[candidate.point->machine].platform.name,
                        program_of(run),
                        std::get<SpmvProblem>(run.problem).block_size,
                        std::int64_t{run.ranks},
                        nodes_of(run),
                        std::string(to_string(candidate.point->placement))};
  const double closed_form_s = *candidate.closed_form.total_s;
  if (const auto& simulated_s = candidate.simulated.total_s) {
    row.insert(row.end(), {*simulated_s, closed_form_s, percent_more(closed_form_s, *simulated_s),
                           percent_more(*simulated_s, *answer.finalists.front().simulated.total_s),
                           node_hours(candidate)});
  } else {
    row.insert(row.end(), {{}, closed_form_s, {}, {}, {}});
  }
  return row;
}

/// "compute 2" is of the kind "compute".
std::string kind_of(const std::string& phase) {
  return phase.substr(0, phase.find(' '));
}

/// All phases of a kind.
double phase_s(const Answer& answer, const std::string& kind) {
  double time_s = 0;
  for (const auto& [name, phase_time_s] : answer.phases_s)
    if (kind_of(name) == kind) time_s += phase_time_s;
  return time_s;
}

/// The kind of phase, of either, whose simulated times differ most.
std::string most_different_phase(const Answer& a, const Answer& b) {
  std::string most;
  double difference_s = -1;
  for (const Answer* answer : {&a, &b}) {
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
  constexpr double too_little_percent = 1;  // less than either way of answering is exact to
  const double slower_percent = percent_more(*second.simulated.total_s, *first.simulated.total_s);
  const std::string phase = most_different_phase(first.simulated, second.simulated);
  return fmt::format(
      "Second is {:.1f} % slower{}. Most different is {}: {:.4g} s there, {:.4g} s in the first (a phase's "
      "time "
      "is its slowest rank's, so they do not add up).",
      slower_percent, slower_percent < too_little_percent ? ", too little to choose by" : "", phase,
      phase_s(second.simulated, phase), phase_s(first.simulated, phase));
}

/// @param ranked  all simulated
std::string cheapest(const std::vector<Candidate>& ranked, double within_percent) {
  const double best_s = *ranked.front().simulated.total_s;
  const auto of_all = std::ranges::min_element(ranked, {}, node_hours);
  const auto slower = std::ranges::find_if(ranked, [&](const Candidate& candidate) {
    return percent_more(*candidate.simulated.total_s, best_s) > within_percent;
  });
  const auto of_those = std::ranges::min_element(ranked.begin(), slower, {}, node_hours);
  return fmt::format(
      "Fewest node-hours: number {} ({:.3g}, {:.2f} times the first's seconds). Of those within {:g} % of "
      "the "
      "first: number {} ({:.3g}).",
      of_all - ranked.begin() + 1, node_hours(*of_all), *of_all->simulated.total_s / best_s, within_percent,
      of_those - ranked.begin() + 1, node_hours(*of_those));
}

std::vector<std::string> declared_numbers(const TuneAnswer& answer) {
  const std::string margin = fmt::format("times or through {:g}", declared_margin);
  if (answer.numbers.empty()) return {"Every number that the closed form looks at was measured."};
  const std::vector<OtherWinner> others = other_winners(answer.finalists, answer.numbers);
  std::vector<std::string> notes;
  for (const auto& [number, winner] : others) {
    notes.push_back(
        fmt::format("The answer hangs on a number that is declared, not measured: with {} on {}, "
                    "number {} wins.",
                    number->change, answer.study.platforms[number->platform].stem().string(), winner + 1));
  }
  if (others.empty()) {
    notes.push_back(fmt::format(
        "No number that is declared, not measured, {}, makes another one win (simulated times change as the "
        "closed form does).",
        margin));
  }
  std::vector<std::string> names;
  for (const NumberChanged& number : answer.numbers) {
    const std::string name = number.change.substr(0, number.change.find(' '));
    if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  }
  notes.push_back(
      fmt::format("Declared: {}. Not tried: links, message_overhead and local_latency, which the "
                  "closed form does not look at.",
                  fmt::join(names, ", ")));
  return notes;
}

Table part_of(const Table& table, const std::vector<std::string_view>& keys) {
  Table part;
  std::vector<std::size_t> places;
  for (const std::string_view key : keys) {
    const auto column = std::ranges::find(table.columns, key, &Column::key);
    places.push_back(static_cast<std::size_t>(column - table.columns.begin()));
    part.columns.push_back(*column);
  }
  for (const std::vector<Cell>& row : table.rows) {
    std::vector<Cell>& cells = part.rows.emplace_back();
    for (const std::size_t place : places)
      cells.push_back(row[place]);
  }
  return part;
}

}  // namespace

Table tune_table(const TuneAnswer& answer, double within_percent) {
  Table table;
  const MatrixFile& matrix = answer.inputs.matrices.front();
  table.title = fmt::format("{} ({}): what to run", matrix.name(), matrix.description());
  table.columns = {{"place", "number"},
                   {"platform", "platform"},
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
  for (std::size_t i = 0; i < answer.finalists.size(); ++i)
    table.rows.push_back(row_of(i + 1, answer.finalists[i], answer));

  table.notes.push_back(
      fmt::format("{} ways to run it, by their closed form; {} finalists simulated{}.", answer.screened,
                  answer.finalists.size(),
                  answer.cannot_run == 0 ? "" : fmt::format("; {} others cannot run", answer.cannot_run)));
  table.notes.push_back(fmt::format("Seconds of {} iterations, {} thread(s) a rank.", answer.study.iterations,
                                    answer.study.threads_per_rank));
  std::vector<Candidate> ranked = answer.finalists;
  std::erase_if(ranked, [](const Candidate& candidate) { return !candidate.simulated.total_s; });
  for (const Candidate& candidate : answer.finalists)
    if (!candidate.simulated.total_s)
      table.notes.push_back(fmt::format("Not simulated: {}", candidate.simulated.none_because));
  if (ranked.empty()) return table;
  if (ranked.size() > 1) table.notes.push_back(why_second(ranked[0], ranked[1]));
  table.notes.push_back(cheapest(ranked, within_percent));
  for (std::string& note : declared_numbers(answer))
    table.notes.push_back(std::move(note));
  return table;
}

std::vector<Table> tune_tables_for_people(const Table& table) {
  Table what = part_of(table, {"place", "program", "platform", "blocksize", "ranks", "nodes"});
  Table costs = part_of(table, {"place", "placement", "simulated_s", "closed_form_s",
                                "closed_form_off_percent", "slower_than_first_percent", "node_hours"});
  what.title = table.title;
  costs.title = "What it costs";
  costs.notes = table.notes;
  return {std::move(what), std::move(costs)};
}

}  // namespace finegrain
