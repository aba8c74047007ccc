// SPDX-License-Identifier: MIT
#include "sim/cli/replay_tables.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <numeric>
#include <utility>

#include "sim/answer/interval.hpp"
#include "sim/answer/quantities.hpp"
#include "sim/model/numbered_phase.hpp"
#include "traces/io/units.hpp"
#include "traces/quantile.hpp"

namespace finegrain::cli {
namespace {

/// A phase over some ranks.
struct PhaseOfRanks {
  std::string name;
  std::vector<double> seconds = {};  ///< those of each rank that has it
  double joules = 0;
  double late_s = 0;  ///< the late part of the sum of `seconds`
  int last_rank = -1;
};

/// In program order.
std::vector<PhaseOfRanks> phases_of(const answer::Answer& answer, const std::vector<int>& ranks,
                                    model::PhaseNames names) {
  std::vector<PhaseOfRanks> phases;
  for (const int rank : ranks) {
    const auto index = static_cast<std::size_t>(rank);
    const std::vector<model::NumberedPhase> of_rank =
        model::numbered(answer.question.job.schedule->ranks[index].regions, names);
    for (std::size_t p = 0; p < of_rank.size(); ++p) {
      const std::string name = of_rank[p].name();
      auto phase = std::ranges::find(phases, name, &PhaseOfRanks::name);
      if (phase == phases.end()) phase = phases.insert(phases.end(), PhaseOfRanks{name});
      const replay::RankReplay& simulated = answer.simulated->ranks[index];
      if (std::exchange(phase->last_rank, rank) != rank) phase->seconds.push_back(0);
      phase->seconds.back() += simulated.phases_s[p];
      if (p < simulated.phases_j.size()) phase->joules += simulated.phases_j[p];
      phase->late_s += simulated.waits.of(p).late_s();
    }
  }
  return phases;
}

const output::Column phase_late{"late_us", "late us", 1, output::Origin::simulated};
const output::Column phase_joules{"j_per_iteration", "J", 6, output::Origin::simulated};

/// @param rows  the table's, or its sums
void add_rows(const output::Table& table, std::vector<std::vector<output::Cell>>& rows,
              const answer::Answer& answer, Grouping grouping, int group, const std::vector<int>& ranks,
              model::PhaseNames names) {
  const double to_us = 1e6 / answer.iterations();
  for (const auto& [name, seconds, joules, late_s, last_rank] : phases_of(answer, ranks, names)) {
    std::vector<output::Cell>& row = rows.emplace_back(
        std::vector<output::Cell>{answer.question.job.platform->name, std::int64_t{answer.run().ranks}});
    if (grouping != Grouping::all) row.emplace_back(std::int64_t{group});
    row.emplace_back(name);
    const auto [least, most] = std::ranges::minmax(seconds);
    if (grouping == Grouping::rank) {
      row.emplace_back(most * to_us);
    } else {
      row.insert(row.end(), {least * to_us, quantile(seconds, 0.5) * to_us, most * to_us});
    }
    if (std::ranges::find(table.columns, phase_late.key, &output::Column::key) != table.columns.end())
      row.push_back(late_s > 0 ? output::Cell(late_s / static_cast<double>(seconds.size()) * to_us)
                               : output::Cell());
    if (table.columns.back().key == phase_joules.key)
      row.push_back(answer.simulated->energy ? output::Cell(joules / answer.iterations()) : output::Cell());
  }
}

/// A row a phase, group of ranks and replay.
void add_rows_of_all(const output::Table& table, std::vector<std::vector<output::Cell>>& rows,
                     const std::vector<answer::Answer>& answers, Grouping grouping, model::PhaseNames names) {
  for (const answer::Answer& answer : answers) {
    const problem::Placement& placement = *answer.question.job.placement;
    std::vector<int> all(static_cast<std::size_t>(placement.ranks()));
    std::iota(all.begin(), all.end(), 0);
    const int groups = grouping == Grouping::all    ? 1
                       : grouping == Grouping::node ? placement.nodes()
                                                    : placement.ranks();
    for (int group = 0; group < groups; ++group) {
      const std::vector<int> ranks = grouping == Grouping::all    ? all
                                     : grouping == Grouping::node ? placement.ranks_of(group)
                                                                  : std::vector{group};
      add_rows(table, rows, answer, grouping, group, ranks, names);
    }
  }
}

bool is_any_name_repeated(const std::vector<answer::Answer>& answers) {
  return std::ranges::any_of(answers, [](const answer::Answer& answer) {
    return std::ranges::any_of(answer.question.job.schedule->ranks, [](const Body& body) {
      return std::ranges::any_of(model::numbered(body.regions),
                                 [](const model::NumberedPhase& phase) { return phase.number > 1; });
    });
  });
}

}  // namespace

output::Table table_of_totals(const std::vector<answer::Answer>& answers) {
  output::Table table = answer::table_of(
      answers, {{"platform", "ranks", "nodes", "simulated_s", "simulated_iterations", "repeat_change",
                 "flows", "energy_j", "idle_j", "mean_w", "j_per_iteration", "energy_delay_js",
                 "ranks_per_node", "bytes_between_nodes", "simulated_low_s", "simulated_high_s"}});
  table.name = "totals";
  table.columns[3].decimals = 4;
  std::vector<std::string> not_repeating;
  for (const answer::Answer& answer : answers)
    if (!answer.simulated->repeats)
      not_repeating.push_back(fmt::format("{} at {}", answer.question.job.platform->name,
                                          format_count(answer.run().ranks, "rank")));
  table.notes = {
      "simulated: seconds, all iterations. iterations: those simulated; the others repeat "
      "them, and change is how much their period differs from the one before."};
  std::ranges::move(answer::interval_notes(answers), std::back_inserter(table.notes));
  if (!not_repeating.empty()) {
    table.notes.push_back(fmt::format("Did not repeat: {}.", fmt::join(not_repeating, ", ")));
    table.notes.emplace_back("In these runs, each of the other iterations takes the mean of the last 32.");
  }
  return table;
}

output::Table table_of_phases(const std::vector<answer::Answer>& answers, Grouping grouping) {
  output::Table table;
  table.name = "phases";
  table.columns = {{"platform", "platform"}, {"ranks", "ranks"}};
  if (grouping == Grouping::node) table.columns.push_back({"node", "node"});
  if (grouping == Grouping::rank) table.columns.push_back({"rank", "rank"});
  table.columns.push_back({"phase", "phase"});
  if (grouping == Grouping::rank) {
    table.columns.push_back({"simulated_us", "simulated us", 1});
  } else {
    table.columns.insert(table.columns.end(), {{"min_us", "min us", 1, output::Origin::simulated},
                                               {"median_us", "median us", 1, output::Origin::simulated},
                                               {"max_us", "max us", 1, output::Origin::simulated}});
  }
  const bool any_late = std::ranges::any_of(
      answers, [](const answer::Answer& one) { return answer::number_of(one, "late_s").value_or(0) > 0; });
  if (any_late) table.columns.push_back(phase_late);
  const bool any_energy = std::ranges::any_of(
      answers, [](const answer::Answer& one) { return one.simulated->energy.has_value(); });
  if (any_energy) table.columns.push_back(phase_joules);
  add_rows_of_all(table, table.rows, answers, grouping, model::PhaseNames::each);
  if (table.rows.size() > output::most_terminal_rows && is_any_name_repeated(answers))
    add_rows_of_all(table, table.sums, answers, grouping, model::PhaseNames::together);
  table.notes = {grouping == Grouping::rank   ? "Microseconds of an iteration."
                 : grouping == Grouping::node ? "Microseconds of an iteration, over the ranks of the node."
                                              : "Microseconds of an iteration, over the ranks."};
  if (any_late)
    table.notes.emplace_back(
        "late: of these, waiting until partners had come, the mean of the ranks that have the phase.");
  if (any_energy)
    table.notes.emplace_back(
        "J: joules of an iteration, of all these ranks together; what the machine draws when idle counts for "
        "none of them.");
  return table;
}

void add_platform_notes(output::Table& table, const std::vector<platform::Platform>& platforms) {
  for (const platform::Platform& platform : platforms) {
    const platform::PlatformCosts& costs = platform.costs;
    table.notes.push_back(
        fmt::format("{}: {}; memory {} a node, {} a core; overhead {}, local latency {}", platform.name,
                    platform.file.filename().string(), format_bandwidth(costs.memory_bandwidth_bytes_per_s),
                    format_bandwidth(costs.memory_bandwidth_per_core_bytes_per_s),
                    format_time(costs.message_overhead_s), format_time(costs.local_latency_s)));
  }
}

}  // namespace finegrain::cli
