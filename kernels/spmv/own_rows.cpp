// SPDX-License-Identifier: MIT
#include "kernels/spmv/own_rows.hpp"

#include <algorithm>
#include <numeric>

namespace finegrain::kernels {
namespace {

constexpr std::int64_t double_bytes = sizeof(double);
constexpr std::int64_t index_bytes = sizeof(std::int32_t);
constexpr std::int64_t cache_line_doubles = 64 / double_bytes;
/// How many entries ahead of their use A and J are prefetched. The gather of x keeps the hardware's own
/// prefetcher from running ahead: without this the loop gets 0.8 of the memory's bandwidth, with it the whole
/// (2 ranks on a Xeon; 256 to 1,024 entries do equally well).
constexpr std::int64_t prefetch_distance = 512;
/// How many rows ahead the elements of x are prefetched: on one core the loop then gets 0.92 of the memory's
/// rates instead of 0.88 (8 rows do equally well, 32 do not). If A and J come from a cache, it takes 1.5
/// times as long. So a rank prefetches x only if its A and J, 12 bytes an entry, exceed a core's share of the
/// caches.
constexpr std::int64_t rows_ahead = 16;
constexpr std::int64_t most_entries_in_caches = 4 << 20;
/// How many elements ahead a copy prefetches what it reads and writes: it is 1.15 times as fast as without.
constexpr std::int64_t copy_distance = 512;

/// The loop of Listings 4 and 5 in one block, shared out among the threads.
template <bool asks_for_x>
void multiply_block(const Block& block, const OwnRows& own, const double* x_copy, double* y) {
  const std::int64_t r_nz = own.r_nz;
  const double* loc_x = x_copy + block.global_begin;
  double* loc_y = y + block.local_begin;
  const double* loc_D = own.diagonal.get() + block.local_begin;
  const double* loc_A = own.values.get() + block.local_begin * r_nz;
  const std::int32_t* loc_J = own.columns.get() + block.local_begin * r_nz;
#pragma omp for schedule(static) nowait
  for (std::int64_t k = 0; k < block.length; ++k) {
    __builtin_prefetch(loc_A + k * r_nz + prefetch_distance);
    __builtin_prefetch(loc_A + k * r_nz + prefetch_distance + cache_line_doubles);
    __builtin_prefetch(loc_J + k * r_nz + prefetch_distance);
    const std::int32_t* J_ahead = loc_J + std::min(k + rows_ahead, block.length - 1) * r_nz;
    double sum = 0.0;
    for (std::int64_t j = 0; j < r_nz; ++j) {
      if constexpr (asks_for_x) __builtin_prefetch(x_copy + J_ahead[j]);
      sum += loc_A[k * r_nz + j] * x_copy[loc_J[k * r_nz + j]];
    }
    loc_y[k] = loc_D[k] * loc_x[k] + sum;
  }
}

}  // namespace

OwnRows load_own_rows(const SpmvInput& input) {
  const problem::EllpackView& matrix = input.file.view();
  const std::int64_t rows = input.own_rows();
  const std::int64_t r_nz = matrix.r_nz;
  OwnRows own{matrix.r_nz, rows * r_nz > most_entries_in_caches, machine::allocate<double>(rows),
              machine::allocate<double>(rows * r_nz), machine::allocate<std::int32_t>(rows * r_nz)};
#pragma omp parallel
  for (const Block& block : input.own_blocks) {
#pragma omp for schedule(static) nowait
    for (std::int64_t k = 0; k < block.length; ++k) {
      const std::int64_t row = block.local_begin + k;
      const std::int64_t global_row = block.global_begin + k;
      own.diagonal[row] = matrix.diagonal[global_row];
      for (std::int64_t j = 0; j < r_nz; ++j) {
        own.values[row * r_nz + j] = matrix.values[global_row * r_nz + j];
        own.columns[row * r_nz + j] = matrix.columns[global_row * r_nz + j];
      }
    }
  }
  return own;
}

void multiply(const std::vector<Block>& rows, const OwnRows& own, const double* x_copy, double* y) {
#pragma omp parallel
  for (const Block& block : rows) {
    if (own.outgrow_caches) {
      multiply_block<true>(block, own, x_copy, y);
    } else {
      multiply_block<false>(block, own, x_copy, y);
    }
  }
}

std::int64_t multiply_bytes(std::int64_t rows, int r_nz) {
  return rows * (r_nz * (double_bytes + index_bytes) + 3 * double_bytes);
}

SplitRows split_rows(const SpmvInput& input, const OwnRows& own) {
  SplitRows split;
  const int rank = input.distribution.owner(input.own_blocks.empty() ? 0 : input.own_blocks[0].global_begin);
  for (const Block& block : input.own_blocks) {
    std::vector<Block>* last = nullptr;
    for (std::int64_t k = 0; k < block.length; ++k) {
      const std::int32_t* columns = own.columns.get() + (block.local_begin + k) * own.r_nz;
      const bool is_interior = std::all_of(columns, columns + own.r_nz, [&](std::int32_t column) {
        return input.distribution.owner(column) == rank;
      });
      std::vector<Block>& rows = is_interior ? split.interior : split.boundary;
      if (last == &rows) {
        ++rows.back().length;
      } else {
        rows.push_back({block.global_begin + k, block.local_begin + k, 1});
      }
      last = &rows;
    }
  }
  return split;
}

std::int64_t count_rows(const std::vector<Block>& rows) {
  return std::accumulate(rows.begin(), rows.end(), std::int64_t{0},
                         [](std::int64_t sum, const Block& block) { return sum + block.length; });
}

std::vector<Block> in_own_x(std::vector<Block> rows) {
  for (Block& block : rows)
    block.global_begin = block.local_begin;
  return rows;
}

void copy_own_blocks(const SpmvInput& input, const double* x, double* x_copy) {
#pragma omp parallel
  for (const Block& block : input.own_blocks) {
    const double* from = x + block.local_begin;
    double* to = x_copy + block.global_begin;
#pragma omp for schedule(static) nowait
    for (std::int64_t first = 0; first < block.length; first += cache_line_doubles) {
      __builtin_prefetch(from + first + copy_distance);
      __builtin_prefetch(to + first + copy_distance, 1);
      const std::int64_t end = std::min(first + cache_line_doubles, block.length);
      for (std::int64_t k = first; k < end; ++k)
        to[k] = from[k];
    }
  }
}

Work copy_work(std::int64_t rows) {
  return {.memory_bytes = 2 * rows * double_bytes, .copied_bytes = rows * double_bytes};
}

}  // namespace finegrain::kernels
