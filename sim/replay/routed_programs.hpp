// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "sim/replay/machine.hpp"
#include "sim/replay/rank_program.hpp"

namespace finegrain {

/// What sends and receives from one rank to another have in common.
struct Connection {
  std::size_t receiver;
  std::size_t route;  ///< nothing within a node
};

/// The programs of all ranks, and where their messages go.
struct RoutedPrograms {
  std::vector<RankProgram> programs;              ///< shape [ranks]
  std::vector<std::vector<std::size_t>> targets;  ///< of each step that has one: for puts and gets a route,
                                                  ///< for sends and receives a connection
  std::vector<const Machine::Route*> routes;      ///< from a node to another
  std::vector<Connection> connections;
};

/// @throws InputError if a route is missing
RoutedPrograms route_programs(std::vector<RankProgram> programs, const Placement& placement,
                              Machine& machine);

}  // namespace finegrain
