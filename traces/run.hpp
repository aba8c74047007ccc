// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

namespace finegrain {

/// How accesses become messages. naive is the paper's Listing 2; individual, block and condensed are its
/// UPCv1, UPCv2 and UPCv3.
enum class Policy : std::uint8_t { naive, individual, block, condensed };

/// Who moves the bytes: the reader gets them or the writer puts them, with barriers, as in the UPC listings;
/// or both take part (MPI's send, receive and wait).
enum class Transfer : std::uint8_t { get, put, two_sided };

/// When a rank waits for its transfers: after each one, as UPC's upc_memget and upc_memput do; once all are
/// started, as Paper III's UPC++ and MPI do; or after the work that needs none of them.
enum class Completion : std::uint8_t { each, together, overlapped };

/// What makes the heat solver's new temperatures the next step's old ones: the arrays change places, or all
/// points are copied (Listing 8).
enum class HeatUpdate : std::uint8_t { swap, copy };

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
  HeatUpdate update = HeatUpdate::swap;

  friend bool operator==(const HeatProblem&, const HeatProblem&) = default;
};

/// What runs, on how many ranks: common to a schedule and a trace.
struct Run {
  std::variant<SpmvProblem, HeatProblem> problem;
  Policy policy = Policy::condensed;
  Transfer transfer = Transfer::two_sided;
  Completion completion = Completion::together;
  int ranks = 1;
  int ranks_per_node = 1;
  int threads_per_rank = 1;
  std::int64_t iterations = 1;

  friend bool operator==(const Run&, const Run&) = default;
};

std::string_view to_string(Policy policy);
std::string_view to_string(Transfer transfer);
std::string_view to_string(Completion completion);
std::string_view to_string(HeatUpdate update);

/// "spmv condensed two-sided", "spmv block get", "heat condensed get overlapped", ...: the completion is left
/// out where it is the usual one, `each` of get and put and `together` of two-sided.
std::string describe(const Run& run);

}  // namespace finegrain
