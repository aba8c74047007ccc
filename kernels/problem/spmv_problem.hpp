// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>

#include "traces/run.hpp"

namespace finegrain::problem {

/// A sparse matrix-vector product y = Mx on an EllPack matrix: the settings of pattern "spmv".
struct SpmvProblem {
  std::string matrix;         ///< file name, without folders
  std::string matrix_digest;  ///< hexadecimal XXH3-64 of the column indices J
  std::int64_t rows = 0;
  int r_nz = 0;  ///< off-diagonal entries a row
  std::int64_t block_size = 0;

  operator Problem() const;  // NOLINT(google-explicit-constructor): it is one
  /// @pre problem.pattern is "spmv"
  /// @throws InputError if a setting is missing or impossible
  static SpmvProblem of(const Problem& problem);
};

}  // namespace finegrain::problem
