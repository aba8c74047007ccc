// SPDX-License-Identifier: MIT
#pragma once

#include <span>

#include "kernels/problem/placement.hpp"
#include "sim/model/hardware.hpp"
#include "sim/model/prediction.hpp"
#include "sim/schedule/counts.hpp"
#include "traces/run.hpp"

namespace finegrain {

/// One SpMV run as the equations see it.
struct SpmvCase {
  SpmvProblem problem;
  Transfer transfer = Transfer::get;
  Completion completion = Completion::each;
  Placement placement;
  std::span<const RankCounts> counts;  ///< shape [placement.ranks()]
  Hardware hardware;
  ClosedForm form = ClosedForm::as_published;
};

/// D_comp: the least bytes from and to memory for one y(i), with perfect reuse in the cache. Source: eq. (6).
double row_traffic_bytes(int r_nz);

/// Elements of x or y that a rank owns. as_printed: B_comp * BLOCKSIZE, which counts a partial last block in
/// full; as_published: its rows. Source: eqs. (5), (7), (14).
double owned_elements(const RankCounts& rank, const SpmvCase& spmv);

/// T_comp: seconds one rank multiplies its rows. Source: eq. (7).
double compute_s(const RankCounts& rank, const SpmvCase& spmv);

/// The share of T_comp that an overlapped program computes before it waits: that of the interior rows.
double interior_compute_s(const RankCounts& rank, const SpmvCase& spmv);

}  // namespace finegrain
