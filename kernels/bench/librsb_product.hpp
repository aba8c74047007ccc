// SPDX-License-Identifier: MIT
#pragma once

#include "kernels/bench/csr_rows.hpp"

struct rsb_mtx_t;

namespace finegrain {

/// "librsb 1.3.0"
const char* librsb_name();

/// y = M x by librsb, in its recursive sparse blocks. There is one at a time.
class LibrsbProduct {
 public:
  /// Copies the matrix, and lets librsb look for the best blocks for a while. @throws std::bad_alloc
  explicit LibrsbProduct(const CsrRows& matrix);
  ~LibrsbProduct();
  LibrsbProduct(const LibrsbProduct&) = delete;
  LibrsbProduct& operator=(const LibrsbProduct&) = delete;

  /// With all threads. Shapes of x and y [columns], [rows]
  void multiply(const double* x, double* y) const;

 private:
  rsb_mtx_t* matrix_ = nullptr;
};

}  // namespace finegrain
