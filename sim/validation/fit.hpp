// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
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

struct Fit {
  FittedValue copy_allocate_bytes;                 ///< on one node
  FittedValue unregistered_bandwidth_bytes_per_s;  ///< on two, with the former
};

/// Least squares of ln(simulated / measured) over the SpMV runs of policies block and condensed that stand
/// for calibration, in all the tables' orders. First what copies cost, on one node, where nothing crosses the
/// network; then what the network carries, on two. Brent's method.
/// @param platform  whose own values are not looked at
/// @pre the tables have such cells
Fit fit_calibration(const std::vector<PreparedTable>& tables, const platform::Platform& platform,
                    int processes);

/// Beside the values that the platform's file has.
output::Table fit_as_table(const Fit& fit, const platform::Platform& platform);

}  // namespace finegrain::validation
