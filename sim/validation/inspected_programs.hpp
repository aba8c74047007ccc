// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/output/table.hpp"
#include "sim/platform/platform.hpp"

namespace finegrain::validation {

/// A row of Table 2 of Alvanos et al. 2016: seconds of a program that runs with an inspector and an executor.
struct InspectedProgram {
  std::string name;
  double calls_s = 0;  ///< on one thread: the cost of calls to the runtime, dynamic minus static
  double few_s = 0;    ///< on 32 threads, which are one node
  double many_s = 0;   ///< on 256 threads, on 8 nodes
  /// Simulated, for the whole program or one time step: the time of 256 threads on 8 nodes, minus an eighth
  /// of the time of 32 threads on one node. None: the paper does not say what the program does.
  std::optional<double> between_nodes_s;
  std::optional<int> steps;  ///< fitted to many_s; none: the program has no time steps

  double eighth_s() const { return few_s / 8; }
  /// The computed seconds on 256 threads; none without between_nodes_s.
  std::optional<double> said_s() const;
};

/// The table, simulated on an assumed network.
std::vector<InspectedProgram> inspected_programs(const platform::Platform& network, int processes);

output::Table inspected_programs_as_table(const std::vector<InspectedProgram>& programs,
                                          const std::string& network);

}  // namespace finegrain::validation
