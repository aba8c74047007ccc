// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kernels/problem/heat_grid.hpp"
#include "kernels/run/kernel_run.hpp"

namespace finegrain::kernels {

/// The options that every heat program has.
struct HeatOptions : RunOptions {
  std::string grid = "1000x1000";
  std::optional<int> mprocs;
  std::optional<int> nprocs;
  std::string update = "swap";

  bool copies() const { return update == "copy"; }
};

/// Collective: parses the command line.
/// @param description  what --help says of the program
/// @param completions  as parse_kernel_options() takes them
/// @throws KernelExit as parse_options() does
HeatOptions parse_heat_options(const Session& session, const char* description, int argc, char** argv,
                               const std::vector<std::string>& completions = {});

/// Collective. @throws KernelExit{1} on every rank where the grid cannot be cut as asked
problem::HeatGrid open_grid(const Session& session, const HeatOptions& options);

/// Describes what runs to time_and_check().
KernelRun describe(const problem::HeatGrid& grid, const HeatOptions& options, const std::string& kernel,
                   Transfer transfer, Completion completion);

}  // namespace finegrain::kernels
