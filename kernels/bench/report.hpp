// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "kernels/bench/passes.hpp"
#include "kernels/run/node_layout.hpp"

namespace finegrain::kernels {

/// What was timed, for the report's head.
struct BenchmarkRun {
  std::string matrix;  ///< "left ventricle, 4000000 tetrahedra, order sbd"
  std::string rows;    ///< "4000000 rows, r_nz 16"
  std::string heat;    ///< "8000 x 8000 points in 1 x 2 parts"
  NodeLayout layout;
  int ranks;
  int threads;
  int rounds;
};

void print_table(const BenchmarkRun& run, const Passes& passes);
void print_json(const BenchmarkRun& run, const Passes& passes);

}  // namespace finegrain::kernels
