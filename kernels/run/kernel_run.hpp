// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <string>

#include "kernels/run/recorded_phases.hpp"
#include "kernels/run/round_off_check.hpp"
#include "kernels/run/run_options.hpp"
#include "kernels/run/session.hpp"
#include "traces/run.hpp"

namespace finegrain::kernels {

/// What runs, for the manifest of its trace and for the report.
struct KernelRun {
  std::string name;
  std::string problem_text;  ///< "heart.fgm, 1000000 rows, BLOCKSIZE 500000"
  Problem problem;
  std::string policy;
  Settings policy_settings = {};
  Transfer transfer = Transfer::two_sided;
  Completion completion = Completion::together;
  double flops_per_iteration = 0;
};

/// Collective. Does what every kernel does once its data are in place: warms up, times the iterations,
/// records them if that was asked for, checks the result and reports.
/// @param phases  the object through which `iterate` does its work
/// @param check compares the result with the sequential one after a number of iterations
/// @returns the exit code, the same on every rank
/// @throws KernelExit{1} on every rank, if a node does not hold consecutive ranks, or if the trace cannot be
/// written
int time_and_check(const Session& session, const RunOptions& options, const KernelRun& kernel,
                   RecordedPhases& phases, const std::function<void()>& iterate,
                   const std::function<CheckResult(std::int64_t iterations)>& check);

}  // namespace finegrain::kernels
