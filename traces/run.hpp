// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

namespace finegrain {

/// How accesses become messages. individual, block and condensed are the paper's UPCv1, UPCv2 and UPCv3.
enum class Policy : std::uint8_t { individual, block, condensed };

/// one_sided: put, get and barriers, as in the UPC listings; two_sided: MPI's send, receive and wait.
enum class Sides : std::uint8_t { one_sided, two_sided };

/// A sparse matrix-vector product y = Mx on an EllPack matrix.
struct SpmvProblem {
  std::string matrix;         ///< file name, without folders
  std::string matrix_digest;  ///< hexadecimal XXH3-64 of the column indices J
  std::int64_t rows = 0;
  int r_nz = 0;  ///< off-diagonal entries a row
  std::int64_t block_size = 0;

  friend bool operator==(const SpmvProblem&, const SpmvProblem&) = default;
};

/// An explicit 2D heat step on rows x columns inner points, cut into mprocs x nprocs parts (paper, section
/// 8).
struct HeatProblem {
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  int mprocs = 0;
  int nprocs = 0;

  friend bool operator==(const HeatProblem&, const HeatProblem&) = default;
};

/// What runs, on how many ranks: common to a schedule and a trace.
struct Run {
  std::variant<SpmvProblem, HeatProblem> problem;
  Policy policy = Policy::condensed;
  Sides sides = Sides::two_sided;
  int ranks = 1;
  int ranks_per_node = 1;
  int threads_per_rank = 1;
  std::int64_t iterations = 1;

  friend bool operator==(const Run&, const Run&) = default;
};

std::string_view to_string(Policy policy);
std::string_view to_string(Sides sides);

/// "spmv condensed two-sided", "heat condensed one-sided", ...
std::string describe(const Run& run);

}  // namespace finegrain
