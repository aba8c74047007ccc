// SPDX-License-Identifier: MIT
#include "sim/validation/fit.hpp"

#include <algorithm>
#include <boost/math/tools/minima.hpp>
#include <cmath>
#include <cstdint>
#include <utility>
#include <variant>

#include "kernels/problem/placement.hpp"

namespace finegrain {
namespace {

/// On one node nothing crosses the network; policy individual moves too few bytes to tell.
bool tells_of_the_network(const Experiment& experiment) {
  const Run& run = experiment.run;
  return std::holds_alternative<SpmvProblem>(run.problem) && experiment.standing == Standing::calibration &&
         Placement(run.ranks, run.ranks_per_node).nodes() == 2 &&
         (run.policy == Policy::block || run.policy == Policy::condensed);
}

PublishedExperiments to_fit(PublishedExperiments table) {
  std::erase_if(table.experiments, [](const Experiment& one) { return !tells_of_the_network(one); });
  return table;
}

}  // namespace

Fit fit_unregistered_bandwidth(const std::vector<PreparedTable>& tables, const Platform& platform,
                               int processes) {
  Platform tried = platform;
  std::size_t cells = 0;
  const auto mean_square = [&](double log_bandwidth) {
    tried.costs.unregistered_bandwidth_bytes_per_s = std::exp(log_bandwidth);
    double sum = 0;
    cells = 0;
    for (const PreparedTable& one : tables) {
      const PublishedExperiments table = to_fit(one.table);
      if (table.experiments.empty()) continue;
      for (const Comparison& cell : compare(table, one.cases, tried, one.reading, processes).cells) {
        sum += std::pow(std::log(cell.simulated_s / cell.experiment.measured_s), 2);
        ++cells;
      }
    }
    return sum / static_cast<double>(cells);
  };
  constexpr double least_bytes_per_s = 0.5e9;
  const double most_bytes_per_s = platform.costs.remote_bandwidth();
  constexpr int bits = 10;  // of the minimum's place: a thousandth of the interval
  std::uintmax_t steps = 40;
  const auto [place, value] = boost::math::tools::brent_find_minima(mean_square, std::log(least_bytes_per_s),
                                                                    std::log(most_bytes_per_s), bits, steps);
  return {std::exp(place), std::sqrt(value), cells};
}

Table fit_as_table(const Fit& fit, const Platform& platform) {
  Table table;
  table.title = "Fitted on two nodes";
  table.columns = {{"property", "property"},
                   {"fitted_gb_per_s", "fitted, GB/s", 2},
                   {"in_file_gb_per_s", "in the file", 2},
                   {"cells", "cells"},
                   {"rms_log_ratio", "rms of ln"}};
  Cell in_file;
  if (const auto& value = platform.costs.unregistered_bandwidth_bytes_per_s) in_file = *value / 1e9;
  table.rows.push_back({std::string("unregistered_bandwidth"), fit.unregistered_bandwidth_bytes_per_s / 1e9,
                        in_file, static_cast<std::int64_t>(fit.cells), fit.rms_log_ratio});
  table.notes = {
      "Least squares of ln(simulated / measured) over Table 4's v2 and v3 on 32 ranks, in both orders; "
      "Brent's method."};
  return table;
}

}  // namespace finegrain
