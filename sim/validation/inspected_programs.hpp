// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/output/table.hpp"
#include "sim/platform/platform.hpp"

namespace finegrain::validation {

/// A row of Table 2 of Alvanos et al. 2016: seconds of a program that an inspector and executor run.
struct InspectedProgram {
  std::string name;
  double calls_s = 0;  ///< on one thread: what calls of the runtime cost, dynamic minus static
  double few_s = 0;    ///< on 32 threads, which are one node
  double many_s = 0;   ///< on 256 threads, on 8 nodes
  /// Simulated, of the whole program or of one time step: what 256 threads take on 8 nodes, less what an
  /// eighth of the work of 32 threads takes on one. None: the text does not say what it does.
  std::optional<double> between_nodes_s;
  std::optional<int> steps;  ///< fitted to many_s; none: the program has no time steps

  double eighth_s() const { return few_s / 8; }
  /// On 256 threads.
  std::optional<double> said_s() const;
};

/// The table, simulated on an assumed network.
std::vector<InspectedProgram> inspected_programs(const platform::Platform& network, int processes);

output::Table inspected_programs_as_table(const std::vector<InspectedProgram>& programs,
                                          const std::string& network);

}  // namespace finegrain::validation
