// SPDX-License-Identifier: MIT
#include "kernels/bench/csr_rows.hpp"

#include <limits>

#include "traces/io/input_error.hpp"

namespace finegrain {
namespace {

/// Calls each(column, value) for the entries of one row.
template <class Each>
void for_entries(const OwnRows& own, std::int64_t local_row, std::int64_t global_row, Each each) {
  const auto diagonal_column = static_cast<std::int32_t>(global_row);
  bool has_diagonal = false;
  const auto add_diagonal = [&] {
    each(diagonal_column, own.diagonal[local_row]);
    has_diagonal = true;
  };
  for (std::int64_t i = local_row * own.r_nz; i < (local_row + 1) * own.r_nz; ++i) {
    const bool is_padding = own.columns[i] == diagonal_column && own.values[i] == 0.0;
    if (is_padding) continue;
    if (!has_diagonal && own.columns[i] > diagonal_column) add_diagonal();
    each(own.columns[i], own.values[i]);
  }
  if (!has_diagonal) add_diagonal();
}

}  // namespace

CsrRows to_csr(const SpmvInput& input, const OwnRows& own) {
  CsrRows csr{static_cast<std::int32_t>(input.own_rows()),
              static_cast<std::int32_t>(input.distribution.size()),
              allocate<std::int32_t>(input.own_rows() + 1),
              {},
              {}};
  std::int64_t entries = 0;
  csr.row_begin[0] = 0;
  for (const Block& block : input.own_blocks) {
    for (std::int64_t k = 0; k < block.length; ++k) {
      for_entries(own, block.local_begin + k, block.global_begin + k,
                  [&](std::int32_t, double) { ++entries; });
      if (entries > std::numeric_limits<std::int32_t>::max())
        throw InputError(
            "--matrix: more than 2^31 entries a rank (Eigen's and librsb's index). Use more ranks");
      csr.row_begin[block.local_begin + k + 1] = static_cast<std::int32_t>(entries);
    }
  }
  csr.column = allocate<std::int32_t>(entries);
  csr.value = allocate<double>(entries);
#pragma omp parallel
  for (const Block& block : input.own_blocks) {
#pragma omp for schedule(static) nowait
    for (std::int64_t k = 0; k < block.length; ++k) {
      std::int32_t i = csr.row_begin[block.local_begin + k];
      for_entries(own, block.local_begin + k, block.global_begin + k, [&](std::int32_t column, double value) {
        csr.column[i] = column;
        csr.value[i] = value;
        ++i;
      });
    }
  }
  return csr;
}

}  // namespace finegrain
