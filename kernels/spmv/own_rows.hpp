// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/machine/array.hpp"
#include "kernels/spmv/spmv_input.hpp"
#include "traces/operation.hpp"

namespace finegrain::kernels {

/// One rank's rows of M: its part of the listings' arrays D, A and J.
struct OwnRows {
  int r_nz;
  bool outgrow_caches;                   ///< if so, multiply() prefetches x
  machine::Array<double> diagonal;       ///< shape [own rows]
  machine::Array<double> values;         ///< shape [own rows * r_nz]
  machine::Array<std::int32_t> columns;  ///< shape [own rows * r_nz], global
};

/// Copies this rank's rows, each first written by the thread that multiplies it. @throws std::bad_alloc
OwnRows load_own_rows(const SpmvInput& input);

/// y = M x for parts of this rank's rows, with all threads: the loop of Listings 4 and 5.
/// @param rows  parts of the rank's own blocks
/// @param x_copy  shape [n]; the elements that the rows read
/// @param y  shape [own rows]
void multiply(const std::vector<Block>& rows, const OwnRows& own, const double* x_copy, double* y);

/// Bytes that multiplying this many rows moves. Source: eq. (6), Lagravière et al. 2019.
std::int64_t multiply_bytes(std::int64_t rows, int r_nz);

/// This rank's rows, sorted by what they read.
struct SplitRows {
  std::vector<Block> interior;  ///< own elements only
  std::vector<Block> boundary;  ///< at least one element of another rank
};

SplitRows split_rows(const SpmvInput& input, const OwnRows& own);

std::int64_t count_rows(const std::vector<Block>& rows);

/// The same rows, with the places of their elements in the rank's own x.
std::vector<Block> in_own_x(std::vector<Block> rows);

/// Copies this rank's elements to their places in its copy of x. Shapes [own rows], [n]
void copy_own_blocks(const SpmvInput& input, const double* x, double* x_copy);
/// What this moves over memory. Source: eq. (14), blocks at their true lengths.
Work copy_work(std::int64_t rows);

}  // namespace finegrain::kernels
