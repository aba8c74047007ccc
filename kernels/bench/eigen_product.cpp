// SPDX-License-Identifier: MIT
#include "kernels/bench/eigen_product.hpp"

#include <Eigen/SparseCore>

#define FINEGRAIN_TEXT_(x) #x
#define FINEGRAIN_TEXT(x) FINEGRAIN_TEXT_(x)

namespace finegrain::kernels {

const char* eigen_name() {
  return "Eigen " FINEGRAIN_TEXT(EIGEN_WORLD_VERSION) "." FINEGRAIN_TEXT(
      EIGEN_MAJOR_VERSION) "." FINEGRAIN_TEXT(EIGEN_MINOR_VERSION);
}

void multiply_with_eigen(const CsrRows& matrix, const double* x, double* y) {
  const Eigen::Map<const Eigen::SparseMatrix<double, Eigen::RowMajor, std::int32_t>> map(
      matrix.rows, matrix.columns, matrix.entries(), matrix.row_begin.get(), matrix.column.get(),
      matrix.value.get());
  Eigen::Map<Eigen::VectorXd>(y, matrix.rows).noalias() =
      map * Eigen::Map<const Eigen::VectorXd>(x, matrix.columns);
}

}  // namespace finegrain::kernels
