// SPDX-License-Identifier: MIT
#include "sim/validation/fit.hpp"

#include <algorithm>
#include <boost/math/tools/minima.hpp>
#include <cmath>
#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <variant>

#include "kernels/problem/placement.hpp"

namespace finegrain::validation {
namespace {

/// Policy individual is left out: it copies nothing, and moves too few bytes to tell of the network.
PublishedExperiments calibration_on(PublishedExperiments table, int nodes) {
  std::erase_if(table.experiments, [&](const Experiment& experiment) {
    const Run& run = experiment.run;
    return !(experiment.moves_bytes && experiment.standing == Standing::calibration &&
             problem::Placement(run.ranks, run.ranks_per_node).nodes() == nodes);
  });
  return table;
}

class Fitter {
 public:
  Fitter(const std::vector<PreparedTable>& tables, int processes) : tables_(tables), processes_(processes) {}

  /// @param platform_with  of a value that is tried
  FittedValue fit(int nodes, double least, double most,
                  const std::function<platform::Platform(double)>& platform_with) const {
    constexpr int bits = 10;  // of the minimum's place: a thousandth of the interval
    std::uintmax_t steps = 40;
    std::size_t cells = 0;
    const auto [place, value] = boost::math::tools::brent_find_minima(
        [&](double tried) { return mean_square(nodes, platform_with(tried), cells); }, least, most, bits,
        steps);
    return {place, std::sqrt(value), cells};
  }

 private:
  double mean_square(int nodes, const platform::Platform& platform, std::size_t& cells) const {
    double sum = 0;
    cells = 0;
    for (const PreparedTable& one : tables_) {
      const PublishedExperiments table = calibration_on(one.table, nodes);
      if (table.experiments.empty()) continue;
      for (const Comparison& cell : compare(table, one.cases, platform, one.reading, processes_, {}).cells) {
        sum += std::pow(std::log(cell.simulated_s / cell.experiment.measured_s), 2);
        ++cells;
      }
    }
    return sum / static_cast<double>(cells);
  }

  const std::vector<PreparedTable>& tables_;
  int processes_;
};

}  // namespace

Fit fit_calibration(const std::vector<PreparedTable>& tables, const platform::Platform& platform,
                    int processes) {
  const Fitter fitter(tables, processes);
  platform::Platform tried = platform;
  Fit fit;
  fit.copy_allocate_bytes = fitter.fit(1, 0, platform.costs.cache_line_bytes, [&](double bytes) {
    tried.costs.copy_allocate_bytes = bytes;
    return tried;
  });
  tried.costs.copy_allocate_bytes = fit.copy_allocate_bytes.value;
  constexpr double least_bytes_per_s = 0.5e9;
  fit.unregistered_bandwidth_bytes_per_s =
      fitter.fit(2, least_bytes_per_s, platform.costs.remote_bandwidth(), [&](double bytes_per_s) {
        tried.costs.unregistered_bandwidth_bytes_per_s = bytes_per_s;
        return tried;
      });
  return fit;
}

output::Table fit_as_table(const Fit& fit, const platform::Platform& platform) {
  output::Table table;
  table.title = "What is fitted, on one node and on two";
  table.columns = {{"property", "property"},      {"unit", "unit"},   {"fitted", "fitted", 2},
                   {"in_file", "in the file", 2}, {"cells", "cells"}, {"rms_log_ratio", "rms of ln"}};
  const auto add = [&](const char* property, const char* unit, double scale, const FittedValue& fitted,
                       std::optional<double> in_file) {
    output::Cell file_cell;
    if (in_file) file_cell = *in_file / scale;
    table.rows.push_back({std::string(property), std::string(unit), fitted.value / scale, file_cell,
                          static_cast<std::int64_t>(fitted.cells), fitted.rms_log_ratio});
  };
  add("copy_allocate", "B", 1, fit.copy_allocate_bytes, platform.costs.copy_allocate_bytes);
  add("unregistered_bandwidth", "GBps", 1e9, fit.unregistered_bandwidth_bytes_per_s,
      platform.costs.unregistered_bandwidth_bytes_per_s);
  table.notes = {
      "Least squares of ln(simulated / measured) over Table 4's v2 and v3 in both orders, on 16 ranks (one "
      "node) "
      "for copy_allocate, then on 32 (two) for unregistered_bandwidth; Brent's method."};
  return table;
}

}  // namespace finegrain::validation
