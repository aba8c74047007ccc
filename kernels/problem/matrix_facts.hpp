// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "kernels/problem/ellpack.hpp"

namespace finegrain::problem {

/// What the column indices say about a matrix.
struct MatrixFacts {
  std::int64_t padding_entries = 0;  ///< entries of J that point at their own row
  std::int64_t bandwidth = 0;        ///< largest |i - j| over the entries
  double mean_distance = 0.0;        ///< mean |i - j| over the entries that are not padding
};

MatrixFacts facts_of(const EllpackView& matrix);

}  // namespace finegrain::problem
