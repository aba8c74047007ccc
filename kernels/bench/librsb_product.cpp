// SPDX-License-Identifier: MIT
#include "kernels/bench/librsb_product.hpp"

#include <fmt/format.h>
#include <rsb-config.h>
#include <rsb.h>

#include <array>
#include <stdexcept>

namespace finegrain::kernels {
namespace {

constexpr double tuning_s = 10;

void check(rsb_err_t error) {
  if (error == RSB_ERR_NO_ERROR) return;
  std::array<char, 256> text{};
  rsb_strerror_r(error, text.data(), text.size());
  throw std::runtime_error(fmt::format("librsb: {}", text.data()));
}

}  // namespace

const char* librsb_name() {
  return "librsb " RSB_PACKAGE_VERSION;
}

LibrsbProduct::LibrsbProduct(const CsrRows& matrix) {
  check(rsb_lib_init(RSB_NULL_INIT_OPTIONS));
  rsb_err_t error = RSB_ERR_NO_ERROR;
  matrix_ = rsb_mtx_alloc_from_csr_const(matrix.value.get(), matrix.row_begin.get(), matrix.column.get(),
                                         matrix.entries(), RSB_NUMERICAL_TYPE_DOUBLE, matrix.rows,
                                         matrix.columns, RSB_DEFAULT_BLOCKING, RSB_DEFAULT_BLOCKING,
                                         RSB_FLAG_DEFAULT_RSB_MATRIX_FLAGS, &error);
  check(error);
  // One round of search for faster blocks; the vectors are librsb's own.
  const double one = 1;
  const double zero = 0;
  check(rsb_tune_spmm(&matrix_, nullptr, nullptr, 1, tuning_s, RSB_TRANSPOSITION_N, &one, nullptr, 1,
                      RSB_FLAG_WANT_COLUMN_MAJOR_ORDER, nullptr, 0, &zero, nullptr, 0));
}

LibrsbProduct::~LibrsbProduct() {
  rsb_mtx_free(matrix_);
  rsb_lib_exit(RSB_NULL_EXIT_OPTIONS);
}

void LibrsbProduct::multiply(const double* x, double* y) const {
  const double one = 1;
  const double zero = 0;
  check(rsb_spmv(RSB_TRANSPOSITION_N, &one, matrix_, x, 1, &zero, y, 1));
}

}  // namespace finegrain::kernels
