// SPDX-License-Identifier: MIT
#pragma once

#include <boost/functional/hash.hpp>
#include <filesystem>
#include <simgrid/s4u.hpp>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace finegrain::replay {

/// SimGrid merges events closer together than this, and lets no activity be shorter (its surf/precision).
inline constexpr double clock_resolution_s = 1e-12;

/// A platform loaded into SimGrid, as replays use it. One a process, in a child process: SimGrid's engine
/// starts only once.
class LoadedPlatform {
 public:
  /// Loads the file, and gives the first `nodes` hosts memories, which share the bandwidth of a node's.
  /// @param hosts  that are the nodes, by their places in natural order of their names; empty: all
  /// @throws InputError if SimGrid refuses the file, or it has fewer hosts
  LoadedPlatform(const std::filesystem::path& file, int nodes, int memory_domains,
                 double memory_bandwidth_bytes_per_s, std::span<const int> hosts = {});

  /// The nodes, or all hosts of the file in natural order of their names: node-2 before node-10.
  const std::vector<simgrid::s4u::Host*>& hosts() const { return hosts_; }
  /// The memory domains of all nodes: one-core hosts that serve bytes instead of flops.
  const std::vector<simgrid::s4u::Host*>& memories() const { return memories_; }

  /// Between two hosts, as the file says it.
  struct Route {
    int from = 0;  ///< node
    int to = 0;
    double latency_s = 0;
    double bandwidth_bytes_per_s = 0;       ///< of the narrowest link
    std::vector<std::size_t> shared_links;  ///< places in link_bandwidths_bytes_per_s()
    double most_bytes_per_s = 0;  ///< of one flow: its narrowest FATPIPE link's, where flows do not share
  };
  /// @throws InputError if there is no route, or its latency is not its links'
  const Route& route(int from, int to);
  /// Of the same route. @throws InputError if there is none
  int count_links(int from, int to) const;
  /// Of all links of the platform.
  const std::vector<double>& link_bandwidths_bytes_per_s() const { return link_bandwidths_bytes_per_s_; }

  /// Shape [links of the platform]
  std::vector<std::string> link_names() const;

  /// Takes the links' latencies out of the network model, which would share bandwidth in proportion to
  /// 1/latency, as TCP does. Every flow then gets an equal share, and whoever simulates a message adds
  /// the latency of the route, which must be asked for before.
  void share_bandwidth_equally();

  void run() { engine_.run(); }

 private:
  Route find_route(int from, int to) const;
  /// @throws InputError if there are none
  std::vector<simgrid::s4u::Link*> links_between(int from, int to, double& latency_s) const;

  std::filesystem::path file_;
  simgrid::s4u::Engine engine_;
  std::vector<simgrid::s4u::Host*> hosts_;
  std::vector<simgrid::s4u::Host*> memories_;
  std::unordered_map<const simgrid::s4u::Link*, std::size_t> link_places_;
  std::vector<double> link_bandwidths_bytes_per_s_;
  std::unordered_map<std::pair<int, int>, Route, boost::hash<std::pair<int, int>>> routes_;
};

}  // namespace finegrain::replay
