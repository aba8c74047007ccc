// SPDX-License-Identifier: MIT
#include "kernels/bench/csr_rows.hpp"

#include <algorithm>
#include <limits>
#include <vector>

#include "traces/io/input_error.hpp"

namespace finegrain::kernels {
namespace {

struct Entry {
  std::int32_t column;
  double value;
};

/// Finds one row's entries, in ascending order; entries of the same column are added up.
void find_entries(const OwnRows& own, std::int64_t local_row, std::int64_t global_row,
                  std::vector<Entry>& entries) {
  const auto diagonal_column = static_cast<std::int32_t>(global_row);
  entries = {{diagonal_column, own.diagonal[local_row]}};
  for (std::int64_t i = local_row * own.r_nz; i < (local_row + 1) * own.r_nz; ++i) {
    const bool is_padding = own.columns[i] == diagonal_column && own.values[i] == 0.0;
    if (!is_padding) entries.push_back({own.columns[i], own.values[i]});
  }
  std::ranges::sort(entries, {}, &Entry::column);
  std::size_t last = 0;
  for (std::size_t i = 1; i < entries.size(); ++i) {
    if (entries[i].column == entries[last].column) {
      entries[last].value += entries[i].value;
    } else {
      entries[++last] = entries[i];
    }
  }
  entries.resize(last + 1);
}

}  // namespace

CsrRows to_csr(const SpmvInput& input, const OwnRows& own) {
  CsrRows csr{static_cast<std::int32_t>(input.own_rows()),
              static_cast<std::int32_t>(input.distribution.size()),
              machine::allocate<std::int32_t>(input.own_rows() + 1),
              {},
              {}};
  std::int64_t total = 0;
  std::vector<Entry> entries;
  csr.row_begin[0] = 0;
  for (const Block& block : input.own_blocks) {
    for (std::int64_t k = 0; k < block.length; ++k) {
      find_entries(own, block.local_begin + k, block.global_begin + k, entries);
      total += static_cast<std::int64_t>(entries.size());
      if (total > std::numeric_limits<std::int32_t>::max())
        throw InputError("--matrix", "more than 2^31 entries a rank (Eigen's and librsb's index)",
                         "Use more ranks");
      csr.row_begin[block.local_begin + k + 1] = static_cast<std::int32_t>(total);
    }
  }
  csr.column = machine::allocate<std::int32_t>(total);
  csr.value = machine::allocate<double>(total);
#pragma omp parallel firstprivate(entries)
  for (const Block& block : input.own_blocks) {
#pragma omp for schedule(static) nowait
    for (std::int64_t k = 0; k < block.length; ++k) {
      find_entries(own, block.local_begin + k, block.global_begin + k, entries);
      std::int32_t i = csr.row_begin[block.local_begin + k];
      for (const Entry& entry : entries) {
        csr.column[i] = entry.column;
        csr.value[i] = entry.value;
        ++i;
      }
    }
  }
  return csr;
}

}  // namespace finegrain::kernels
