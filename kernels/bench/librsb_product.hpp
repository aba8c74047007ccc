// SPDX-License-Identifier: MIT
#pragma once

#include "kernels/bench/csr_rows.hpp"

struct rsb_mtx_t;

namespace finegrain::kernels {

/// "librsb 1.3.0.2"
const char* librsb_name();

/// y = M x by librsb, in its recursive sparse blocks. One exists at a time.
class LibrsbProduct {
 public:
  /// Copies the matrix, and lets librsb look for the best blocks for up to 10 s. @throws std::runtime_error
  /// with librsb's message
  explicit LibrsbProduct(const CsrRows& matrix);
  ~LibrsbProduct();
  LibrsbProduct(const LibrsbProduct&) = delete;
  LibrsbProduct& operator=(const LibrsbProduct&) = delete;

  /// With all threads. Shapes of x and y [columns], [rows]
  void multiply(const double* x, double* y) const;

 private:
  rsb_mtx_t* matrix_ = nullptr;
};

}  // namespace finegrain::kernels
