// SPDX-License-Identifier: MIT
#pragma once

#include "kernels/bench/csr_rows.hpp"

namespace finegrain::kernels {

/// "Eigen 3.4.0"
const char* eigen_name();

/// y = M x by Eigen, with all threads. Shapes of x and y [columns], [rows]
void multiply_with_eigen(const CsrRows& matrix, const double* x, double* y);

}  // namespace finegrain::kernels
