// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "kernels/problem/ellpack.hpp"
#include "kernels/problem/row_order.hpp"
#include "sim/validation/comparison.hpp"
#include "sim/validation/experiment.hpp"

namespace finegrain::validation {

/// A published table and its cases: everything that does not depend on the platform.
struct PreparedTable {
  PublishedExperiments table;
  Cases cases;
  Reading reading;
};

/// Tables 5 and IV.
std::vector<PreparedTable> prepare_heat();

/// Table 4 on a matrix that stands in for the paper's, its rows in this order (which becomes part of the
/// table's name).
/// @pre matrix has published_spmv_rows rows and published_spmv_r_nz entries a row
PreparedTable prepare_table_4(const problem::EllpackView& matrix, problem::RowOrder order);

/// A table of SpMV whose times are read as simulated.
/// @param closed_form_costs  those of the table's machine
/// @pre the matrix has the table's rows and r_nz
PreparedTable prepare_spmv(PublishedExperiments table, const platform::PlatformCosts& closed_form_costs,
                           const problem::EllpackView& matrix);

}  // namespace finegrain::validation
