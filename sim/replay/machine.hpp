// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <map>
#include <simgrid/s4u.hpp>
#include <utility>
#include <vector>

namespace finegrain {

/// SimGrid merges events closer together than this, and lets no activity be shorter (its surf/precision).
inline constexpr double clock_resolution_s = 1e-12;

/// A platform loaded into SimGrid, as replays use it. One a process, in a child process: SimGrid's engine
/// starts only once.
class Machine {
 public:
  /// Loads the file, and gives the first `nodes` hosts a memory each.
  /// @throws InputError if SimGrid refuses the file, or it has fewer hosts
  Machine(const std::filesystem::path& file, int nodes, double memory_bandwidth_bytes_per_s);

  /// All hosts of the file, in natural order of their names: node-2 before node-10.
  const std::vector<simgrid::s4u::Host*>& hosts() const { return hosts_; }
  /// The memory of each node: a one-core host that serves bytes instead of flops. Shape [nodes]
  const std::vector<simgrid::s4u::Host*>& memories() const { return memories_; }

  /// Latency of the route between two different hosts, as the file says it, in seconds.
  /// @throws InputError if there is no route
  double latency_s(int from, int to);
  /// Bandwidth of the narrowest link of the route. @throws InputError if there is no route
  double bandwidth_bytes_per_s(int from, int to) const;

  /// Takes the links' latencies out of the network model, which would share bandwidth in proportion to
  /// 1/latency, as TCP does: every flow then gets an equal share, and who simulates a message adds
  /// latency_s(), asked for before.
  /// @throws InputError if a latency asked for is not one of links
  void share_bandwidth_equally();

  void run() { engine_.run(); }

 private:
  /// @returns the latency
  double find_route(int from, int to, std::vector<simgrid::s4u::Link*>& links) const;

  std::filesystem::path file_;
  simgrid::s4u::Engine engine_;
  std::vector<simgrid::s4u::Host*> hosts_;
  std::vector<simgrid::s4u::Host*> memories_;
  std::map<std::pair<int, int>, double> latencies_s_;
};

}  // namespace finegrain
