// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "kernels/problem/placement.hpp"
#include "sim/platform/platform.hpp"
#include "sim/replay/energy.hpp"

namespace finegrain::replay {

/// The sockets of a machine's nodes, and how ranks fill them.
struct Sockets {
  int of_node = 1;
  int cores = 1;                        ///< of a socket
  std::optional<int> ranks_per_socket;  ///< none: a socket's cores are filled before the next one's

  /// Of a platform with powers.
  Sockets(const platform::Platform& platform, const EnergyOptions& options)
      : of_node(platform.sockets),
        cores(platform.powers->cores_of_socket()),
        ranks_per_socket(options.ranks_per_socket) {}
};

/// Threads of a rank that run on one socket.
struct SocketShare {
  std::size_t socket;  ///< the sockets of node n are n * of_node and those that follow
  int threads;
};

/// Where the threads of each rank run: a core each, in the order of the node's ranks. Shape [ranks]
/// @throws InputError if a node's ranks need more cores or sockets than there are
std::vector<std::vector<SocketShare>> socket_shares(const problem::Placement& placement, int threads_per_rank,
                                                    const Sockets& sockets);

/// What the nodes and sockets that count would draw if no core were busy.
/// @pre the platform has powers. @throws InputError as socket_shares()
double idle_power_w(const problem::Placement& placement, int threads_per_rank,
                    const platform::Platform& platform, const EnergyOptions& options);

/// The same if the cores of all ranks were busy.
double busy_power_w(const problem::Placement& placement, int threads_per_rank,
                    const platform::Platform& platform, const EnergyOptions& options);

}  // namespace finegrain::replay
