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

/// A number of a machine that is neither in the papers nor in data sheets.
struct FittedValue {
  double value = 0;
  double rms_log_ratio = 0;  ///< rms of ln(simulated / measured), over the cells that it was fitted to
  std::size_t cells = 0;
};

/// A property of a platform file, its fitted value, and its value in the file.
struct FittedProperty {
  std::string name;
  std::string unit;
  double scale = 1;  ///< the size of the unit
  FittedValue fitted;
  std::optional<double> in_file;
};

/// Fits numbers of Abel by least squares of ln(simulated / measured) with Brent's method, over the cells that
/// serve as calibration. First copy_allocate is fitted to the policies block and condensed on one node, where
/// nothing crosses the network. With its value, unregistered_bandwidth is fitted to them on two nodes.
/// @param platform  its values of the fitted properties are not used to fit them
/// @pre Table 4 is among the tables
std::vector<FittedProperty> fit_abel(const std::vector<PreparedTable>& tables,
                                     const platform::Platform& platform, int processes);

/// Fits numbers of a many-core machine to the condensed cells: first memory_bandwidth_per_core on 16 ranks.
/// With its value, smt_gain is fitted with 2 and with 4 ranks on a core, if the platform has hardware
/// threads.
/// @pre Table III is among the tables
std::vector<FittedProperty> fit_many_cores(const std::vector<PreparedTable>& tables,
                                           const platform::Platform& platform, int processes);

/// The fitted values beside those in the platform file.
output::Table fit_as_table(const std::vector<FittedProperty>& fitted);

}  // namespace finegrain::validation
