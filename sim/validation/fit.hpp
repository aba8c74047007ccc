// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "sim/output/table.hpp"
#include "sim/platform/platform.hpp"
#include "sim/validation/prepared_table.hpp"

namespace finegrain::validation {

/// A number of a machine that neither the papers nor data sheets print.
struct FittedValue {
  double value = 0;
  double rms_log_ratio = 0;  ///< of ln(simulated / measured), over the cells that it was fitted to
  std::size_t cells = 0;
};

/// A property of a platform's file, and what it should be.
struct FittedProperty {
  std::string name;
  std::string unit;
  double scale = 1;  ///< of the unit
  FittedValue fitted;
  std::optional<double> in_file;
};

/// Least squares of ln(simulated / measured), Brent's method, over the cells that serve as calibration.
/// Abel: copy_allocate over policies block and condensed on one node, where nothing crosses the network; then
/// with it unregistered_bandwidth, on two.
/// @param platform  its own values of the fitted properties are not used
/// @pre Table 4 is among the tables
std::vector<FittedProperty> fit_abel(const std::vector<PreparedTable>& tables,
                                     const platform::Platform& platform, int processes);

/// Many cores, over the condensed cells: memory_bandwidth_per_core on 16 ranks; then with it smt_gain where
/// cores have 2 and 4 ranks, if the platform has hardware threads.
/// @pre Table III is among the tables
std::vector<FittedProperty> fit_many_cores(const std::vector<PreparedTable>& tables,
                                           const platform::Platform& platform, int processes);

/// Beside the values that the platform's file has.
output::Table fit_as_table(const std::vector<FittedProperty>& fitted);

}  // namespace finegrain::validation
