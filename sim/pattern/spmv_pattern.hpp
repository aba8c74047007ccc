// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <string>

#include "kernels/problem/ellpack.hpp"
#include "sim/pattern/pattern.hpp"

namespace finegrain::pattern {

/// A sparse matrix-vector product on these column indices, for tests and benchmarks, which have no file.
/// @param matrix  has to outlive the pattern
std::shared_ptr<const Pattern> spmv_of(const problem::EllpackView& matrix);

/// D_comp: the least bytes from and to memory for one y(i), with perfect reuse in the cache. Source: eq. (6).
double row_traffic_bytes(int r_nz);

}  // namespace finegrain::pattern
