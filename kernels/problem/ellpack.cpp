// SPDX-License-Identifier: MIT
#include "kernels/problem/ellpack.hpp"

namespace finegrain::problem {

void multiply(const EllpackView& matrix, std::span<const double> x, std::span<double> y) {
  const auto r_nz = static_cast<std::size_t>(matrix.r_nz);
  for (std::size_t i = 0; i < static_cast<std::size_t>(matrix.rows); ++i) {
    double sum = 0.0;
    for (std::size_t j = i * r_nz; j < (i + 1) * r_nz; ++j) {
      sum += matrix.values[j] * x[static_cast<std::size_t>(matrix.columns[j])];
    }
    y[i] = matrix.diagonal[i] * x[i] + sum;
  }
}

}  // namespace finegrain::problem
