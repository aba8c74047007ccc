// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "kernels/run/node_layout.hpp"
#include "kernels/run/round_off_check.hpp"
#include "kernels/run/run_options.hpp"
#include "kernels/run/session.hpp"
#include "kernels/run/timed_loop.hpp"

namespace finegrain::kernels {

/// What a kernel reports about its run.
struct RunReport {
  std::string kernel;
  std::string problem;  ///< for people: "1000000 rows, BLOCKSIZE 500000"
  int threads = 1;
  NodeLayout layout;
  IterationSeconds iteration;
  double flops_per_iteration = 0;
  std::optional<CheckResult> check;  ///< none if it was left out
  bool trace_complete = true;        ///< where one was recorded
};

/// Prints on rank 0's stdout, as a table or as JSON. GFLOPS are the median iteration's.
/// @returns the exit code: 1 if the check failed (rank 0 then says so on stderr), else 0
int report(const Session& session, const RunOptions& options, const RunReport& run);

}  // namespace finegrain::kernels
