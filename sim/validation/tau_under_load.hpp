// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "sim/output/table.hpp"
#include "sim/validation/prepared_table.hpp"

namespace finegrain::validation {

/// A run of UPCv1 on several nodes, in which each remote access costs tau(k) while k ranks of a node
/// communicate.
struct LoadedRun {
  int ranks = 0;
  double measured_s = 0;
  double printed_s = 0;      ///< the paper's prediction, with one tau for all
  double access_s = 0;       ///< its part for remote accesses: C_remote tau of the slowest rank
  double communicating = 0;  ///< k
  bool is_fit = false;       ///< whether s is fitted to it; else it is a prediction
};

/// k, the mean number of ranks of a node that communicate: the remote accesses of all its ranks, divided by
/// those of the rank with the most. It assumes that all ranks begin together and are equally fast.
/// @param accesses  remote accesses of each rank of the node where the slowest rank is
double communicating_ranks(const std::vector<double>& accesses);

/// The runs of v1 in Table 4 on two or more nodes.
/// @pre table_4 is Table 4
std::vector<LoadedRun> loaded_runs(const PreparedTable& table_4);

/// tau(k) = tau + (k - 8) s: the paper measured tau with 8 communicating ranks a node (section 6.2).
/// s comes from the run on 2 nodes alone. @pre one of the runs is the fit, and its k is not 8
double slope_s(const std::vector<LoadedRun>& runs, double tau_s);

/// Predicted seconds of a run with tau(k).
double loaded_s(const LoadedRun& run, double tau_s, double slope_s);

output::Table loads_as_table(const std::vector<LoadedRun>& runs, const std::string& table_name);

}  // namespace finegrain::validation
