// SPDX-License-Identifier: MIT
#pragma once

#include <boost/functional/hash.hpp>
#include <filesystem>
#include <simgrid/s4u.hpp>
#include <span>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "sim/platform/simgrid_file.hpp"
#include "sim/replay/clock.hpp"

namespace finegrain::replay {

/// The full speed of a core that make_changing_cores() makes.
inline constexpr double changing_core_flops_per_s = 1e9;

/// A platform loaded into SimGrid, as replays use it. One a process, in a child process: SimGrid's engine
/// starts only once.
class LoadedPlatform {
 public:
  /// @param nodes  how many of the hosts are used
  /// @param hosts  that are the nodes, by their places in natural order of their names; empty: all
  /// @throws InputError if SimGrid refuses the file, or it has fewer hosts
  explicit LoadedPlatform(const std::filesystem::path& file, int nodes = 0, std::span<const int> hosts = {});

  /// The nodes, or all hosts of the file in natural order of their names: node-2 before node-10.
  const std::vector<simgrid::s4u::Host*>& hosts() const { return hosts_; }
  /// Makes memory domains of nodes: one-core hosts that serve bytes instead of flops, so that a domain's
  /// users share its bandwidth. @param bandwidths_bytes_per_s  the nodes' @param domains  each node's
  std::vector<simgrid::s4u::Host*> make_memories(std::span<const double> bandwidths_bytes_per_s, int domains);

  /// Makes a one-core host for each rank whose node's speed changes, which SimGrid itself makes follow the
  /// profile: the reference simulation only. @param nodes  the ranks' @returns null: the node's speed stays
  /// @throws InputError if a host stands still, which SimGrid 3.32 does not survive
  std::vector<simgrid::s4u::Host*> make_changing_cores(std::span<const int> nodes);

  double speed_flops_per_s(int node) const { return hosts_[static_cast<std::size_t>(node)]->get_speed(); }
  /// The speed of the first host of the file, in natural order.
  double first_speed_flops_per_s() const { return first_host_->get_speed(); }

  /// Between two hosts, as the file says it.
  struct Route {
    int from = 0;  ///< node
    int to = 0;
    double latency_s = 0;
    double late_s = 0;  ///< how much longer its latency is now, by profiles, than the file says
    double bandwidth_bytes_per_s = 0;        ///< the narrowest link's
    std::vector<std::size_t> shared_links;   ///< places in link_bandwidths_bytes_per_s()
    std::vector<std::size_t> private_links;  ///< FATPIPE: each flow has the whole bandwidth
    double most_bytes_per_s = 0;             ///< one flow's: the narrowest of its private links'
    /// Whether the latency is the sum of its links': not where Vivaldi coordinates add to it.
    bool has_links_latency = true;
  };
  /// Between the adapters of two nodes on one rail.
  /// @throws InputError if there is no route, or one of its links has no bandwidth
  const Route& route(int from, int to, int rail = 0);
  /// The same; none where there is no route.
  const Route* find_route(int from, int to, int rail = 0);
  const platform::Rails& rails() const { return input_.rails(); }
  /// How many links the same route has. @throws InputError if there is none
  int count_links(int from, int to) const;
  /// The bandwidths of all links of the platform.
  const std::vector<double>& link_bandwidths_bytes_per_s() const { return link_bandwidths_bytes_per_s_; }

  const std::vector<platform::LinkProfile>& profiles() const { return input_.profiles(); }
  /// How the speeds of the nodes change, shape [nodes]; null: a node's stays. Empty: that of no node changes.
  /// @throws InputError if there is no such host
  std::vector<const platform::SpeedProfile*> speed_profiles() const;
  bool latencies_change() const;
  /// The places of a profile's links. @throws InputError if there is no such link
  std::vector<std::size_t> links_of(const platform::LinkProfile& profile) const;
  /// Bandwidths and latencies are as the file says, again.
  void forget_changes();
  /// From now on, of routes that were asked for and of those that will be.
  void set_bandwidth(std::size_t link, double bytes_per_s);
  void set_latency(std::size_t link, double seconds);
  /// SimGrid's own flows follow: the reference simulation only.
  void set_bandwidth_in_simgrid(std::size_t link, double bytes_per_s);

  /// Shape [links of the platform]
  std::vector<std::string> link_names() const;

  /// Takes the links' latencies out of the network model, which would share bandwidth in proportion to
  /// 1/latency, as TCP does. Every flow then gets an equal share, and whoever simulates a message adds
  /// the latency of the route, which must be asked for before.
  void share_bandwidth_equally();

  void run() { engine_.run(); }

 private:
  void load();
  /// A zone of their own for hosts that the file does not have.
  simgrid::s4u::NetZone* new_zone(const std::string& name);
  void find_links();
  double file_bandwidth_bytes_per_s(const simgrid::s4u::Link* link) const;
  void take_hosts(int nodes, std::span<const int> hosts);
  Route measured_route(int from, int to, const std::vector<simgrid::s4u::Link*>& links,
                       double latency_s) const;
  void check_link(const simgrid::s4u::Link* link) const;
  void check_wifi(int from, int to, const std::vector<simgrid::s4u::Link*>& links) const;
  [[noreturn]] void throw_no_route(int from, int to) const;
  /// Nothing where there is no route, or one without links that takes no time.
  std::vector<simgrid::s4u::Link*> links_between(int from, int to, int rail, double& latency_s) const;
  /// What stands for a node's adapter on a rail. @throws InputError if the file has none
  const simgrid::s4u::Host* adapter(int node, int rail) const;

  std::filesystem::path file_;
  platform::SimgridFile input_;
  simgrid::s4u::Engine engine_;
  std::vector<simgrid::s4u::Host*> hosts_;
  const simgrid::s4u::Host* first_host_ = nullptr;
  std::unordered_map<const simgrid::s4u::Link*, std::size_t> link_places_;
  std::vector<simgrid::s4u::Link*> links_;
  std::vector<double> link_bandwidths_bytes_per_s_;
  std::vector<double> late_s_;  ///< the links', where a profile has changed the latency; empty: nowhere
  using Ends = std::tuple<int, int, int>;  ///< nodes, and their rail
  std::unordered_map<Ends, Route, boost::hash<Ends>> routes_;
};

}  // namespace finegrain::replay
