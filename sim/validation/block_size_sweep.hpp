// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "kernels/problem/ellpack.hpp"
#include "sim/output/table.hpp"
#include "sim/platform/platform.hpp"
#include "sim/validation/comparison.hpp"

namespace finegrain::validation {

/// One run of the sweep: Figure 1 of Lagravière's thesis, Paper III.
struct SweptRun {
  int ranks = 0;
  std::int64_t block_size = 0;
  std::int64_t blocks = 0;
  std::int64_t largest_rows = 0;  ///< the most rows of a rank
  double simulated_gflops = 0;
  double closed_form_gflops = 0;
  double bound_gflops = 0;  ///< by eqs. (7) and (14) for the largest rank alone, without messages

  /// The number of ranks that own no block.
  std::int64_t idle_ranks() const { return std::max<std::int64_t>(0, ranks - blocks); }
};

/// A claim of the thesis about its figure, which has no readable numbers.
struct SweepClaim {
  const char* text;
  /// The claim is that the GFLOPS of this run are above or below those of another run, or a number.
  int ranks;
  std::int64_t block_size;
  bool is_more;
  std::optional<std::int64_t> than_block_size;  ///< another run on as many ranks
  double than_gflops = 0;                       ///< the number, if there is no other run
};

/// The four claims that are tested.
const std::vector<SweepClaim>& sweep_claims();

/// Whether a claim holds for the GFLOPS in a member of these runs. @pre the claim's runs are among them
bool holds(const SweepClaim& claim, const std::vector<SweptRun>& runs, double SweptRun::*gflops);

/// UPC++ version 2 (condensed puts, waited for together) on test problem 1, 16 ranks a node of Abel, 64 and
/// 128 ranks, BLOCKSIZE 2^10 to 2^19.
/// @param matrix  published_spmv_rows rows
std::vector<SweptRun> sweep_block_sizes(const problem::EllpackView& matrix,
                                        const platform::Platform& platform, int processes,
                                        const OnSimulated& on_simulated = {});

/// A table of the runs, and one of the claims, each of which passes or fails.
std::vector<output::Table> sweep_as_tables(const std::vector<SweptRun>& runs);

}  // namespace finegrain::validation
