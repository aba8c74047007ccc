// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kernels/run/session.hpp"

namespace finegrain::kernels {

/// How the ranks lie on nodes and cores; the same on every rank.
struct NodeLayout {
  int ranks_per_node = 1;
  int cores = 1;                ///< that this node's ranks may run on; the fewest of any node
  bool oversubscribed = false;  ///< some node has more ranks x threads than cores
  std::string pinning;          ///< CPUs of each rank, "0: 0-1; 1: 2-3"
};

/// Collective. The name of the node that each rank runs on. Shape [ranks]
std::vector<std::string> hosts_of_ranks(const Session& session);

/// Collective. The CPUs that each rank may run on, "0: 0-1; 1: 2-3"; "all: 0-3" where they are the same.
std::string pinning_of_ranks(const Session& session);

/// Collective. Asks the session which ranks share memory, and the system which CPUs they may use.
/// @param stated_ranks_per_node  used instead of what the session says: counts ranks as if each node held
///        this many of them, wherever they run
/// @throws KernelExit{1} on every rank if a node does not hold consecutive ranks, which is how traces and
///         schedules number them
NodeLayout find_node_layout(const Session& session, int threads, std::optional<int> stated_ranks_per_node);

}  // namespace finegrain::kernels
