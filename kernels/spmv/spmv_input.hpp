// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "kernels/problem/distribution.hpp"
#include "kernels/problem/matrix_file.hpp"
#include "kernels/run/kernel_run.hpp"

namespace finegrain::kernels {

/// The options that every SpMV program has.
struct SpmvOptions : RunOptions {
  std::filesystem::path matrix;
  std::optional<std::int64_t> block_size;
};

/// Collective: parses the command line.
/// @param description  what --help says of the program
/// @param completions  as parse_kernel_options() takes them
/// @param own  the options that this program alone has
/// @throws KernelExit as parse_options() does
SpmvOptions parse_spmv_options(const Session& session, const char* description, int argc, char** argv,
                               const std::vector<std::string>& completions = {},
                               const std::vector<Option>& own = {});

/// Consecutive elements that one rank owns. It stores its blocks one after the other.
struct Block {
  std::int64_t global_begin;
  std::int64_t local_begin;
  std::int64_t length;
};

/// The matrix, and who owns which rows.
struct SpmvInput {
  problem::MatrixFile file;
  problem::Distribution distribution;
  std::vector<Block> own_blocks;  ///< this rank's, ascending

  std::int64_t own_rows() const {
    return own_blocks.empty() ? 0 : own_blocks.back().local_begin + own_blocks.back().length;
  }
  /// Where an element is in its owner's part.
  std::int64_t local_index(std::int64_t element) const {
    return distribution.block_of(element) / distribution.ranks() * distribution.block_size() +
           element % distribution.block_size();
  }
};

/// Collective. @throws KernelExit{1} on every rank for a bad matrix or BLOCKSIZE
SpmvInput open_input(const Session& session, const SpmvOptions& options);

/// Describes what runs to time_and_check().
KernelRun describe(const SpmvInput& input, const std::string& kernel, const std::string& policy,
                   Transfer transfer, Completion completion);

/// Element `element` of the vector that the iterations start from.
double start_value(std::int64_t element);
/// Sets this rank's elements to the start values, each by the thread that multiplies its row. Shape [own
/// rows]
void set_start_values(const SpmvInput& input, double* x);

/// Collective. Compares each rank's part of x with the sequential result after as many iterations of Listing
/// 1, which rank 0 computes.
/// @param x  shape [own rows]
CheckResult check_against_sequential(const Session& session, const SpmvInput& input, std::int64_t iterations,
                                     std::span<const double> x);

}  // namespace finegrain::kernels
