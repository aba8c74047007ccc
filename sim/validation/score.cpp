// SPDX-License-Identifier: MIT
#include "sim/validation/score.hpp"

#include <algorithm>
#include <cmath>

namespace finegrain::validation {
namespace {

struct Pair {
  double said_s;
  double measured_s;
  int ranks;
};

Misses misses(const std::vector<Pair>& pairs) {
  Misses result;
  double worst_log_ratio = 0;
  for (const Pair& pair : pairs) {
    const double percent = error_percent(pair.said_s, pair.measured_s);
    const double log_ratio = std::abs(std::log(pair.said_s / pair.measured_s));
    result.mean_percent += std::abs(percent) / static_cast<double>(pairs.size());
    result.mean_log_ratio += log_ratio / static_cast<double>(pairs.size());
    if (log_ratio >= worst_log_ratio) {
      worst_log_ratio = log_ratio;
      result.worst_percent = percent;
      result.worst_ranks = pair.ranks;
    }
  }
  return result;
}

}  // namespace

double error_percent(double said_s, double measured_s) {
  return 100 * (said_s / measured_s - 1);
}

bool scores_on_several_nodes(const ComparedTable& table) {
  return std::ranges::any_of(table.cells, [](const Comparison& cell) {
    const Run& run = cell.experiment.run;
    return cell.experiment.standing == Standing::scored && run.ranks > run.ranks_per_node;
  });
}

std::vector<Score> scores(const ComparedTable& table, Standing standing) {
  std::vector<std::string> columns;
  for (const Comparison& cell : table.cells) {
    if (cell.experiment.standing == standing &&
        std::ranges::find(columns, cell.experiment.column) == columns.end())
      columns.push_back(cell.experiment.column);
  }
  std::vector<Score> result;
  for (const std::string& column : columns) {
    std::vector<Pair> simulated;
    std::vector<Pair> closed_form;
    for (const Comparison& cell : table.cells) {
      const Experiment& experiment = cell.experiment;
      if (experiment.standing != standing || experiment.column != column) continue;
      simulated.push_back({cell.simulated_s, experiment.measured_s, experiment.run.ranks});
      if (cell.closed_form_s)
        closed_form.push_back({*cell.closed_form_s, experiment.measured_s, experiment.run.ranks});
    }
    Score& score = result.emplace_back(Score{table.name, column, simulated.size(), misses(simulated), {}});
    if (closed_form.size() == simulated.size()) score.closed_form = misses(closed_form);
  }
  return result;
}

}  // namespace finegrain::validation
