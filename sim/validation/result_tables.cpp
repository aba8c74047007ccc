// SPDX-License-Identifier: MIT
#include "sim/validation/result_tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include "sim/pattern/pattern.hpp"

namespace finegrain::validation {
namespace {

/// What distinguishes a run from others of its table, besides its number of ranks.
std::string case_of(const Run& run) {
  return pattern::pattern_kind(run).case_of(run.problem);
}

output::Cell cell_of(std::optional<double> number) {
  if (!number) return {};
  return *number;
}

output::Cell error_cell(std::optional<double> said_s, double measured_s) {
  if (!said_s) return {};
  return error_percent(*said_s, measured_s);
}

/// A row of the scores; the closed form comes first.
std::vector<output::Cell> score_row(const Score& score) {
  std::vector<output::Cell> row{score.table, score.column, static_cast<std::int64_t>(score.cells)};
  if (score.closed_form) {
    row.insert(row.end(), {score.closed_form->mean_percent, score.closed_form->mean_log_ratio,
                           score.closed_form->worst_percent});
  } else {
    row.resize(row.size() + 3);
  }
  row.insert(row.end(), {score.simulated.mean_percent, score.simulated.mean_log_ratio,
                         score.simulated.worst_percent, std::int64_t{score.simulated.worst_ranks}});
  return row;
}

}  // namespace

std::string_view to_string(Standing standing) {
  switch (standing) {
    case Standing::scored:
      return "score";
    case Standing::calibration:
      return "fit";
    case Standing::input_assumed:
      return "assumed";
    case Standing::excluded:
      return "excluded";
  }
  return "";
}

output::Table cells_as_table(const ComparedTable& compared) {
  const bool with_ranges = std::ranges::any_of(
      compared.cells, [](const Comparison& cell) { return cell.simulated_range_s.has_value(); });
  output::Table table;
  table.name = output::name_from(compared.name);
  table.title = fmt::format("{}: {}", compared.name, compared.title);
  table.columns = {{"ranks", "ranks"},
                   {"case", "case"},
                   {"column", "column"},
                   {"measured_s", "measured", 2},
                   {"closed_form_s", "closed f.", 2},
                   {"closed_form_error_percent", "err %", 1},
                   {"simulated_s", "simulated", 2},
                   {"simulated_error_percent", "err %", 1}};
  if (with_ranges) {
    table.columns.push_back({"simulated_least_s", "least", 2});
    table.columns.push_back({"simulated_most_s", "most", 2});
  }
  table.columns.push_back({"counts_as", "as"});
  for (const Comparison& cell : compared.cells) {
    const Experiment& experiment = cell.experiment;
    std::vector<output::Cell>& row = table.rows.emplace_back();
    row = {std::int64_t{experiment.run.ranks},
           case_of(experiment.run),
           experiment.column,
           experiment.measured_s,
           cell_of(cell.closed_form_s),
           error_cell(cell.closed_form_s, experiment.measured_s),
           cell.simulated_s,
           error_cell(cell.simulated_s, experiment.measured_s)};
    if (with_ranges) {
      const std::optional<Range>& range = cell.simulated_range_s;
      row.push_back(cell_of(range ? std::optional(range->least) : std::nullopt));
      row.push_back(cell_of(range ? std::optional(range->most) : std::nullopt));
    }
    row.emplace_back(std::string(to_string(experiment.standing)));
  }
  table.notes = compared.notes;
  return table;
}

output::Table scores_as_table(const std::vector<ComparedTable>& compared) {
  output::Table table;
  table.name = "scores";
  table.title = "Scores: runs that nothing was fitted to";
  table.columns = {{"table", "table"},
                   {"column", "column"},
                   {"cells", "cells"},
                   {"closed_form_mape_percent", "c.f. %", 1},
                   {"closed_form_mean_log_ratio", "|ln|"},
                   {"closed_form_worst_percent", "worst %", 0},
                   {"simulated_mape_percent", "sim. %", 1},
                   {"simulated_mean_log_ratio", "|ln|"},
                   {"simulated_worst_percent", "worst %", 0},
                   {"simulated_worst_ranks", "ranks"}};
  for (const ComparedTable& one : compared) {
    for (const Score& score : scores(one))
      table.rows.push_back(score_row(score));
  }
  table.notes = {
      "c.f. %, sim. %: mean absolute percentage error of the closed form and of the simulation. |ln|: mean "
      "|ln(computed / measured)|. worst: the cell that is furthest off, and (simulated) its number of "
      "ranks."};
  return table;
}

}  // namespace finegrain::validation
