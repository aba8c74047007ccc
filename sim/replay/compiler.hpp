// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "kernels/problem/placement.hpp"
#include "sim/replay/machine.hpp"
#include "sim/replay/replay.hpp"
#include "sim/replay/steps.hpp"
#include "traces/operation.hpp"

namespace finegrain {

/// What sends and receives from one rank to another have in common that are matched with one another.
struct Connection {
  std::size_t sender;
  std::size_t receiver;
  std::size_t route;  ///< nothing within a node
};

/// The programs of all ranks, and where their messages go.
struct RoutedPrograms {
  std::vector<RankProgram> programs;          ///< shape [ranks]
  std::vector<const Machine::Route*> routes;  ///< from a node to another
  std::vector<Connection> connections;
};

/// Turns what ranks do into steps that a machine can execute: here is the model of every operation. Routes
/// and connections are found when they are first met.
class Compiler {
 public:
  /// @pre all outlive the compiler
  Compiler(const Placement& placement, const PlatformCosts& costs, Machine& machine)
      : placement_(placement), costs_(costs), machine_(machine) {}

  /// @param durations_s  seconds of each region to replay instead of memory volumes (PhaseDurations); empty:
  /// volumes
  /// @throws InputError if a route is missing
  RankProgram compile(const Body& body, int rank, std::span<const double> durations_s = {});

  const std::vector<const Machine::Route*>& routes() const { return routes_; }
  const std::vector<Connection>& connections() const { return connections_; }

 private:
  friend class BodyCompiler;
  std::uint32_t route(int from_rank, int to_rank);
  std::uint32_t connection(int from_rank, int to_rank, const Post& post);
  double latency_s(int from_rank, int to_rank);
  /// Without a barrier, nodes that exchange no message need no route to one another.
  double barrier_s();

  const Placement& placement_;
  const PlatformCosts& costs_;
  Machine& machine_;
  std::vector<const Machine::Route*> routes_;
  std::vector<Connection> connections_;
  std::map<std::pair<int, int>, std::uint32_t> route_places_;  ///< by nodes
  /// By ranks, communicator and tag.
  std::map<std::tuple<int, int, std::int32_t, std::int32_t>, std::uint32_t> connection_places_;
  std::optional<double> barrier_s_;
};

/// The job's own, or block.
Placement placement_of(const ReplayJob& job);

/// What the ranks of a job do on a machine. @throws InputError if a route is missing
RoutedPrograms compile(const ReplayJob& job, const Placement& placement, Machine& machine);

}  // namespace finegrain
