// SPDX-License-Identifier: MIT
#pragma once

#include <boost/functional/hash.hpp>
#include <filesystem>
#include <memory>
#include <simgrid/s4u.hpp>
#include <span>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "sim/platform/simgrid_file.hpp"
#include "sim/replay/clock.hpp"
#include "sim/replay/simgrid_wires.hpp"
#include "sim/replay/wires.hpp"

namespace finegrain::replay {

/// The full speed of a core that make_changing_cores() makes.
inline constexpr double changing_core_flops_per_s = 1e9;

/// A platform as replays use it. One a process, in a child process: SimGrid's engine starts only once.
class LoadedPlatform {
 public:
  /// @param nodes  how many of the hosts are used
  /// @param hosts  that are the nodes, by their places in natural order of their names; empty: all
  /// @param clusters  by_simgrid for what is done with SimGrid's own hosts and links
  /// @throws InputError if SimGrid refuses the file, or it has fewer hosts
  explicit LoadedPlatform(const std::filesystem::path& file, int nodes = 0, std::span<const int> hosts = {},
                          platform::Clusters clusters = platform::Clusters::by_rule);

  /// How many nodes there are: all hosts of the file in natural order of their names (node-2 before node-10),
  /// unless others were asked for.
  int nodes() const { return static_cast<int>(hosts_.size()); }
  /// All hosts and links of the file.
  const Wires& wires() const { return *wires_; }
  std::string host_name(int node) const { return wires_->host_name(host_of(node)); }
  int cores(int node) const { return wires_->cores(host_of(node)); }
  /// @pre clusters are made by_simgrid
  simgrid::s4u::Host* simgrid_host(int node, int rail = 0) const {
    return in_simgrid_->host(adapter(node, rail));
  }
  /// Makes memory domains of nodes: one-core hosts that serve bytes instead of flops, so that a domain's
  /// users share its bandwidth. @param bandwidths_bytes_per_s  the nodes' @param domains  each node's
  std::vector<simgrid::s4u::Host*> make_memories(std::span<const double> bandwidths_bytes_per_s, int domains);

  /// Makes a one-core host for each rank whose node's speed changes, which SimGrid itself makes follow the
  /// profile: the reference simulation only. @param nodes  the ranks' @returns null: the node's speed stays
  /// @throws InputError if a host stands still, which SimGrid 3.32 does not survive
  std::vector<simgrid::s4u::Host*> make_changing_cores(std::span<const int> nodes);

  double speed_flops_per_s(int node) const { return wires_->speed_flops_per_s(host_of(node)); }
  /// The speed of the first host of the file, in natural order.
  double first_speed_flops_per_s() const { return wires_->speed_flops_per_s(0); }

  /// Between two hosts, as the file says it.
  struct Route {
    int from = 0;  ///< node
    int to = 0;
    double latency_s = 0;
    double late_s = 0;  ///< how much longer its latency is now, by profiles, than the file says
    double bandwidth_bytes_per_s = 0;       ///< the narrowest link's
    std::vector<std::size_t> shared_links;  ///< places in link_bandwidths_bytes_per_s()
    /// How much of a message's bytes crosses each shared link, where a network spreads them. Empty: all.
    std::vector<float> parts = {};
    double part(std::size_t place) const { return parts.empty() ? 1 : parts[place]; }
    std::vector<std::size_t> private_links;  ///< FATPIPE: each flow has the whole bandwidth
    double most_bytes_per_s = 0;             ///< one flow's: the narrowest of its private links'
    /// Whether the latency is the sum of its links': not where Vivaldi coordinates add to it.
    bool has_links_latency = true;
    int rail = 0;
    /// What goes by one of several rails.
    struct Stripe {
      const Route* route;
      double part;  ///< the share of the bytes
    };
    /// Where a message is divided among rails, one for each. Its latency is the longest of theirs, its
    /// bandwidth is theirs together, and it has their shared links. Empty: it goes by one.
    std::vector<Stripe> stripes = {};
  };
  /// Between the adapters of two nodes on one rail, or on all_rails: faster rails take more of the bytes, so
  /// that all parts of a message that is alone end at once.
  /// @throws InputError if there is no route, or one of its links has no bandwidth
  const Route& route(int from, int to, int rail = 0);
  /// The same; none where there is no route. @pre the rail is one
  const Route* find_route(int from, int to, int rail = 0);
  /// Between two nodes. Links are numbered as in link_bandwidths_bytes_per_s().
  Wires::Ways ways(int from, int to) const { return wires_->ways(host_of(from), host_of(to)); }
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
  /// SimGrid's own flows follow: the reference simulation only. @pre clusters are made by_simgrid
  void set_bandwidth_in_simgrid(std::size_t link, double bytes_per_s);

  /// Shape [links of the platform]
  std::vector<std::string> link_names() const;
  /// As the file says it.
  double link_latency_s(std::size_t link) const { return wires_->latency_s(link); }

  /// Takes the links' latencies out of the network model, which would share bandwidth in proportion to
  /// 1/latency, as TCP does. Every flow then gets an equal share, and whoever simulates a message adds
  /// the latency of the route, which must be asked for before.
  void share_bandwidth_equally();

  void run() { engine_.run(); }

 private:
  void load();
  /// @throws InputError with the file's line, where the reason has one
  [[noreturn]] void throw_parse_error(std::string_view reason) const;
  /// A zone of their own for hosts that the file does not have.
  simgrid::s4u::NetZone* new_zone(const std::string& name);
  void find_links();
  void take_hosts(int nodes, std::span<const int> hosts);
  std::size_t host_of(int node) const { return hosts_[static_cast<std::size_t>(node)]; }
  Route measured_route(int from, int to, const Wires::Way& way) const;
  Route striped_route(int from, int to);
  void check_link(std::size_t link) const;
  void check_wifi(int from, int to, const std::vector<std::size_t>& links) const;
  [[noreturn]] void throw_no_route(int from, int to) const;
  /// Nothing where there is no route, or one without links that takes no time.
  Wires::Way way_between(int from, int to, int rail) const;
  /// What stands for a node's adapter on a rail. @throws InputError if the file has none
  std::size_t adapter(int node, int rail) const;

  std::filesystem::path file_;
  platform::SimgridFile input_;
  simgrid::s4u::Engine engine_;
  std::unique_ptr<Wires> wires_;
  const SimgridWires* in_simgrid_ = nullptr;  ///< the same, where SimGrid has them
  std::vector<std::size_t> hosts_;            ///< the nodes'
  std::vector<double> link_bandwidths_bytes_per_s_;
  std::vector<double> late_s_;  ///< the links', where a profile has changed the latency; empty: nowhere
  using Ends = std::tuple<int, int, int>;  ///< nodes, and their rail
  std::unordered_map<Ends, Route, boost::hash<Ends>> routes_;
};

}  // namespace finegrain::replay
