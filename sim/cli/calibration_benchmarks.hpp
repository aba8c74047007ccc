// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/calibration/calibration.hpp"
#include "sim/cli/launcher.hpp"

namespace finegrain::cli {

/// Which benchmarks of kernels/micro are run, and how.
struct BenchmarkFlags {
  std::optional<int> ranks;  ///< STREAM's; none: one a core
  int nodes = 1;
  LauncherFlags launcher;
  std::optional<std::string> array_size;
  std::vector<std::string> messages;  ///< empty: pingpong_mpi's own
  double worst_fit_percent = 75;      ///< a ping-pong whose fit is worse is measured again
  bool even_if_busy = false;          ///< measure once
};

/// Runs them one after the other, and keeps the user informed.
/// @throws InputError if one fails, prints no result, or ran on other nodes than asked for
calibration::Calibration run_benchmarks(const BenchmarkFlags& options);

/// What the operating system takes of each core: the text of a file for `replay --noise`.
/// @throws InputError
std::string record_noise(const BenchmarkFlags& options);

}  // namespace finegrain::cli
