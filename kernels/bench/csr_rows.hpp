// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "kernels/machine/array.hpp"
#include "kernels/spmv/own_rows.hpp"

namespace finegrain::kernels {

/// One rank's rows of M as other libraries take them: compressed sparse rows, the diagonal among the other
/// entries and padding left out.
struct CsrRows {
  std::int32_t rows = 0;
  std::int32_t columns = 0;                ///< n
  machine::Array<std::int32_t> row_begin;  ///< shape [rows + 1]
  machine::Array<std::int32_t> column;     ///< shape [entries], global, ascending in a row, each once
  machine::Array<double> value;            ///< shape [entries]

  std::int32_t entries() const { return row_begin[rows]; }
};

/// Each row is first written by the thread that would multiply it under a static schedule.
/// @throws std::bad_alloc, and InputError if there are more entries than such an index can count
CsrRows to_csr(const SpmvInput& input, const OwnRows& own);

}  // namespace finegrain::kernels
