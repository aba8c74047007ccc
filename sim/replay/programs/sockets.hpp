// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "kernels/problem/placement.hpp"
#include "sim/platform/platform.hpp"
#include "sim/replay/energy.hpp"

namespace finegrain::replay {

/// The sockets of a machine's nodes, and how ranks fill them.
struct Sockets {
  int of_node = 1;
  int cores = 1;                        ///< a socket's
  std::optional<int> ranks_per_socket;  ///< none: a socket's cores are filled before the next one's
  bool are_in_turn = false;  ///< rank r of a node is on socket r modulo of_node, with all its threads

  /// The sockets of a platform with powers.
  Sockets(const platform::Platform& platform, const EnergyOptions& options)
      : of_node(platform.sockets),
        cores(platform.powers->cores_of_socket()),
        ranks_per_socket(options.ranks_per_socket),
        are_in_turn(options.sockets_in_turn) {}
  /// Sockets with any number of cores.
  Sockets(int of_a_node, int ranks_on_each, bool in_turn)
      : of_node(of_a_node),
        cores(std::numeric_limits<int>::max()),
        ranks_per_socket(ranks_on_each),
        are_in_turn(in_turn) {}
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

/// Which memory domain each rank's bytes go over: those of node n are n * platform.memory_domains and those
/// that follow. A domain is a socket's; where nothing says how ranks fill sockets, each has an equal part of
/// the node's ranks, in their order. Shape [ranks]
/// @throws InputError as socket_shares(), or if a rank's threads are on two
std::vector<std::uint32_t> memory_domains(const problem::Placement& placement, int threads_per_rank,
                                          const platform::Platform& platform, const EnergyOptions& options);

/// The most that a rank gets of its node's memory, bytes/s. Ranks of a node get equally much, also where the
/// cores of some have fewer ranks on them. Shape [nodes]
/// @param hosts  as ReplayJob::hosts
std::vector<double> rank_bandwidths(const problem::Placement& placement, int threads_per_rank,
                                    const platform::Platform& platform, std::span<const int> hosts = {});

/// The bandwidths of all nodes' memories, bytes/s. Shape [nodes]
std::vector<double> memory_bandwidths(const problem::Placement& placement, const platform::Platform& platform,
                                      std::span<const int> hosts = {});

/// What the nodes and sockets that count would draw if no core were busy.
/// @pre the platform has powers. @throws InputError as socket_shares()
double idle_power_w(const problem::Placement& placement, int threads_per_rank,
                    const platform::Platform& platform, const EnergyOptions& options);

/// The same if the cores of all ranks were busy.
double busy_power_w(const problem::Placement& placement, int threads_per_rank,
                    const platform::Platform& platform, const EnergyOptions& options);

}  // namespace finegrain::replay
