// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <vector>

#include "sim/output/table.hpp"
#include "sim/platform/platform.hpp"
#include "sim/validation/prepared_table.hpp"

namespace finegrain {

/// The one number of a machine that neither the papers nor data sheets print: what the links carry of puts
/// and gets of unregistered memory.
struct Fit {
  double unregistered_bandwidth_bytes_per_s = 0;
  double rms_log_ratio = 0;  ///< of ln(simulated / measured), over the cells that it was fitted to
  std::size_t cells = 0;
};

/// Least squares of ln(simulated / measured) over the SpMV runs on two nodes, policies block and condensed,
/// in all the tables' orders. Brent's method in the logarithm of the bandwidth.
/// @param platform  whose own value is not looked at
/// @pre a table has such cells, with standing calibration
Fit fit_unregistered_bandwidth(const std::vector<PreparedTable>& tables, const Platform& platform,
                               int processes);

/// Beside the value that the platform's file has.
Table fit_as_table(const Fit& fit, const Platform& platform);

}  // namespace finegrain
