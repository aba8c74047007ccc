// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "sim/output/table.hpp"
#include "sim/platform/platform.hpp"

namespace finegrain::validation {

/// Bytes that NPB's CG moves to and from the memory of one node in all iterations of its class.
struct CgTraffic {
  double matrix_bytes = 0;   ///< 12 B of each nonzero in each product
  double vectors_bytes = 0;  ///< the rest of the work, on vectors
  double copies_bytes = 0;   ///< messages between the processes
};

/// @param class_name  S, W, A, B, C or D. @throws InputError if it is none of them
std::vector<CgTraffic> cg_traffic(const std::string& class_name, const std::vector<int>& processes,
                                  const platform::PlatformCosts& costs);

/// A row of CG in Table III (thesis, Paper I): class C on a node, in 10^9 B.
struct MeasuredTraffic {
  int processes = 0;
  int sockets = 0;
  double mpi_gb = 0;
  double openmp_gb = 0;
  double upc_gb = 0;
  double sent_gb = 0;  ///< in cg.f's messages, including those to the process itself
};
std::vector<MeasuredTraffic> published_cg_traffic();

/// The rows of CG in Table III beside cg_traffic() of the same class.
output::Table cg_traffic_as_table(const platform::PlatformCosts& costs);

}  // namespace finegrain::validation
