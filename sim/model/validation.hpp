// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/problem/ellpack.hpp"
#include "sim/model/prediction.hpp"
#include "sim/model/published.hpp"

namespace finegrain {

/// One predicted value of Table 5 beside this closed form, seconds of 1000 steps.
struct HeatCheck {
  HeatProblem problem;
  bool halo = false;  ///< T_halo, eq. (21), or T_comp, eq. (22)
  PublishedTime published;
  double closed_form_s = 0;
  bool agrees = false;  ///< to the two decimals that the paper prints
};

/// All of Table 5, its two predicted columns row by row. Shape [24].
std::vector<HeatCheck> check_heat(ClosedForm form);

/// One predicted value of Table 4 beside this closed form, seconds of 1000 iterations.
struct SpmvCheck {
  int ranks = 0;
  std::int64_t block_size = 0;
  Policy policy = Policy::individual;
  PublishedTime published;
  double closed_form_s = 0;

  double ratio() const { return closed_form_s / published.predicted_s; }
};

/// All of Table 4, its three predicted columns row by row, for a stand-in of the papers' matrix. Shape [21].
/// @pre matrix has published_spmv_rows rows
std::vector<SpmvCheck> check_spmv(const EllpackView& matrix, ClosedForm form);

/// Root mean square of ln(ratio): 0.10 means off by a typical 10 %, up or down.
double rms_log_ratio(std::span<const SpmvCheck> checks);

}  // namespace finegrain
