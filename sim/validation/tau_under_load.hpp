// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "sim/output/table.hpp"
#include "sim/validation/prepared_table.hpp"

namespace finegrain::validation {

/// UPCv1 on some nodes, where each remote access costs tau(k) with k ranks of a node that communicate.
struct LoadedRun {
  int ranks = 0;
  double measured_s = 0;
  double printed_s = 0;      ///< the paper's prediction, with one tau for all
  double access_s = 0;       ///< the part of it for remote accesses: C_remote tau of the slowest rank
  double communicating = 0;  ///< k
  bool is_fit = false;       ///< else a prediction
};

/// k of a node over time: its ranks' remote accesses over those of its rank with the most, as if each began
/// at once and all went equally fast. Of the node where the slowest rank is.
/// @param accesses  remote ones of each rank of that node
double communicating_ranks(const std::vector<double>& accesses);

/// Table 4's v1, on 2 nodes and more.
/// @pre it is Table 4
std::vector<LoadedRun> loaded_runs(const PreparedTable& table_4);

/// tau(k) = tau + (k - 8) s: the paper measured tau with 8 communicating ranks a node (section 6.2).
/// s comes from the run on 2 nodes alone. @pre one of the runs is the fit, and its k is not 8
double slope_s(const std::vector<LoadedRun>& runs, double tau_s);

/// Seconds of a run with tau(k).
double loaded_s(const LoadedRun& run, double tau_s, double slope_s);

output::Table loads_as_table(const std::vector<LoadedRun>& runs, const std::string& table_name);

}  // namespace finegrain::validation
