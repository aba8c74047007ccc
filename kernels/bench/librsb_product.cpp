// SPDX-License-Identifier: MIT
#include "kernels/bench/librsb_product.hpp"

#include <rsb-config.h>
#include <rsb.h>

#include <cstdlib>
#include <new>

namespace finegrain {
namespace {

/// librsb returns an error code from everything; with memory enough there is none to come.
void check(rsb_err_t error) {
  if (error != RSB_ERR_NO_ERROR) throw std::bad_alloc();
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
                                         RSB_FLAG_DEFAULT_RSB_MATRIX_FLAGS | RSB_FLAG_DUPLICATES_SUM, &error);
  check(error);
  if (const char* t = std::getenv("RSB_TUNE")) {
    const double one = 1, zero = 0;
    rsb_real_t sf = 0;
    rsb_int_t tn = 0;
    check(rsb_tune_spmm(&matrix_, &sf, &tn, 1, std::atof(t), RSB_TRANSPOSITION_N, &one, nullptr, 1,
                        RSB_FLAG_WANT_COLUMN_MAJOR_ORDER, nullptr, 0, &zero, nullptr, 0));
    std::fprintf(stderr, "tuned speedup %g threads %d\n", sf, tn);
  }
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

}  // namespace finegrain
