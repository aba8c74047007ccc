// SPDX-License-Identifier: MIT
#include "sim/validation/fit.hpp"

#include <fmt/format.h>

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

/// Tells whether a number is fitted to an experiment.
using Chosen = std::function<bool(const Experiment& experiment)>;

/// Policy individual is left out: it copies nothing, and moves too few bytes to show the network's rate.
Chosen moving_bytes_on(int nodes) {
  return [nodes](const Experiment& experiment) {
    const Run& run = experiment.run;
    return experiment.moves_bytes && problem::Placement(run.ranks, run.ranks_per_node).nodes() == nodes;
  };
}

Chosen of_table_iii_on(int ranks) {
  return [ranks](const Experiment& experiment) {
    return experiment.run.ranks == ranks && !experiment.block_sizes.empty();
  };
}

class Fitter {
 public:
  Fitter(const std::vector<PreparedTable>& tables, int processes) : tables_(tables), processes_(processes) {}

  /// @param platform_with  gives the platform with a value that is tried
  FittedValue fit(const Chosen& chosen, double least, double most,
                  const std::function<platform::Platform(double)>& platform_with) const {
    constexpr int bits = 10;  // precision of the minimum's place: a thousandth of the interval
    std::uintmax_t steps = 40;
    std::size_t cells = 0;
    const auto [place, value] = boost::math::tools::brent_find_minima(
        [&](double tried) { return mean_square(chosen, platform_with(tried), cells); }, least, most, bits,
        steps);
    return {place, std::sqrt(value), cells};
  }

 private:
  double mean_square(const Chosen& chosen, const platform::Platform& platform, std::size_t& cells) const {
    double sum = 0;
    cells = 0;
    for (const PreparedTable& one : tables_) {
      PublishedExperiments table = one.table;
      std::erase_if(table.experiments, [&](Experiment& experiment) {
        const bool is_left_out = experiment.standing != Standing::calibration || !chosen(experiment);
        experiment.block_sizes.clear();
        return is_left_out;
      });
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

std::vector<FittedProperty> fit_abel(const std::vector<PreparedTable>& tables,
                                     const platform::Platform& platform, int processes) {
  const Fitter fitter(tables, processes);
  const platform::PlatformCosts& in_file = platform.costs;
  platform::Platform tried = platform;
  const FittedValue copy_allocate =
      fitter.fit(moving_bytes_on(1), 0, platform.costs.cache_line_bytes, [&](double bytes) {
        tried.costs.copy_allocate_bytes = bytes;
        return tried;
      });
  tried.costs.copy_allocate_bytes = copy_allocate.value;
  constexpr double least_bytes_per_s = 0.5e9;
  const FittedValue unregistered = fitter.fit(moving_bytes_on(2), least_bytes_per_s,
                                              platform.costs.remote_bandwidth(), [&](double bytes_per_s) {
                                                tried.costs.unregistered_bandwidth_bytes_per_s = bytes_per_s;
                                                return tried;
                                              });
  return {{"copy_allocate", "B", 1, copy_allocate, in_file.copy_allocate_bytes},
          {"unregistered_bandwidth", "GBps", 1e9, unregistered, in_file.unregistered_bandwidth_bytes_per_s}};
}

std::vector<FittedProperty> fit_many_cores(const std::vector<PreparedTable>& tables,
                                           const platform::Platform& platform, int processes) {
  const Fitter fitter(tables, processes);
  platform::Platform tried = platform;
  constexpr double least_bytes_per_s = 1e9;
  constexpr double most_bytes_per_s = 10e9;
  double& of_core_bytes_per_s = tried.costs.memory_bandwidth_per_core_bytes_per_s;
  const FittedValue of_core =
      fitter.fit(of_table_iii_on(16), least_bytes_per_s, most_bytes_per_s, [&](double bytes_per_s) {
        of_core_bytes_per_s = bytes_per_s;
        return tried;
      });
  of_core_bytes_per_s = of_core.value;
  std::vector<FittedProperty> fitted{{"memory_bandwidth_per_core", "GBps", 1e9, of_core,
                                      platform.costs.memory_bandwidth_per_core_bytes_per_s}};
  if (!platform.costs.hardware_threads) return fitted;
  for (const int sharing : {2, 4}) {
    constexpr double least_rate = 0.5;
    const FittedValue gain = fitter.fit(of_table_iii_on(sharing * platform.costs.hardware_threads->cores),
                                        least_rate, sharing, [&](double rate) {
                                          tried.costs.hardware_threads->gains = {{1, 1.0}, {sharing, rate}};
                                          return tried;
                                        });
    fitted.push_back({fmt::format("smt_gain, {} ranks", sharing), "x", 1, gain,
                      platform.costs.hardware_threads->gain(sharing)});
  }
  return fitted;
}

output::Table fit_as_table(const std::vector<FittedProperty>& all) {
  output::Table table;
  table.name = "fit";
  table.title = "What is fitted";
  table.columns = {{"property", "property"},      {"unit", "unit"},   {"fitted", "fitted", 2},
                   {"in_file", "in the file", 2}, {"cells", "cells"}, {"rms_log_ratio", "rms of ln"}};
  for (const auto& [name, unit, scale, fitted, in_file] : all) {
    output::Cell file_cell;
    if (in_file) file_cell = *in_file / scale;
    table.rows.push_back({name, unit, fitted.value / scale, file_cell,
                          static_cast<std::int64_t>(fitted.cells), fitted.rms_log_ratio});
  }
  table.notes = {
      "Least squares of ln(simulated / measured), Brent's method. Abel, over Table 4's v2 and v3 in both "
      "orders: copy_allocate on 16 ranks (one node), then unregistered_bandwidth on 32 (two). Xeon Phi, over "
      "Table III's two condensed columns: memory_bandwidth_per_core on 16 ranks, then smt_gain on 136 and "
      "272, "
      "with 2 and 4 ranks on a core."};
  return table;
}

}  // namespace finegrain::validation
