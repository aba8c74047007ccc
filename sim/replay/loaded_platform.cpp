// SPDX-License-Identifier: MIT
#include "sim/replay/loaded_platform.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "sim/platform/enlarged.hpp"
#include "sim/replay/natural_order.hpp"
#include "traces/io/input_error.hpp"
#include "traces/io/units.hpp"

namespace finegrain::replay {

namespace sg4 = simgrid::s4u;

namespace {

/// SimGrid's settings of every replay. Each is set even where it is SimGrid's default: the <config> of a
/// platform file may change only what has not been set.
constexpr const char* settings[] = {
    "network/model:CM02",          // no TCP correction factors
    "network/latency-factor:1",    //
    "network/bandwidth-factor:1",  //
    "network/weight-S:0",          // shares do not depend on links' bandwidths
    "network/crosstraffic:0",      // a flow does not slow the opposite direction
    "network/optim:Lazy",          // recomputes only what a change touches
    "cpu/optim:Lazy",              //
    "maxmin/precision:1e-5",       // of a rate
    "contexts/stack-size:256",     // KiB an actor
#ifdef __SANITIZE_ADDRESS__
    "contexts/factory:thread",  // the address sanitizer understands threads, not SimGrid's own contexts
#endif
};

constexpr double most_bytes_per_s = 1e18;
constexpr double longest_latency_s = 1e6;

}  // namespace

LoadedPlatform::LoadedPlatform(const std::filesystem::path& file, int nodes, int memory_domains,
                               double memory_bandwidth_bytes_per_s, std::span<const int> hosts)
    : file_(file), engine_("finegrain") {
  for (const char* setting : settings)
    sg4::Engine::set_config(setting);
  sg4::Engine::set_config("surf/precision", clock_resolution_s);
  engine_.load_platform(file.string());
  if (engine_.get_netzone_root() == nullptr) {
    throw InputError(file.string(), "no <zone> or <cluster> (a platform needs hosts)", "Add one");
  }
  hosts_ = engine_.get_all_hosts();
  std::sort(hosts_.begin(), hosts_.end(),
            [](const auto* a, const auto* b) { return natural_less(a->get_name(), b->get_name()); });
  if (!hosts.empty()) {
    const std::vector<sg4::Host*> all = std::exchange(hosts_, {});
    for (const int host : hosts) {
      if (host < 0 || static_cast<std::size_t>(host) >= all.size())
        throw InputError(file.string(),
                         fmt::format("there is no node {} (its {} hosts are nodes 0 to {})", host, all.size(),
                                     all.size() - 1),
                         "Give others, or a larger platform");
      hosts_.push_back(all[static_cast<std::size_t>(host)]);
    }
  }
  if (hosts_.size() < static_cast<std::size_t>(nodes)) {
    const std::optional<int> possible = platform::possible_nodes(file, nodes);
    throw InputError(
        file.string(),
        fmt::format("{} for {} (a node is a host)", format_count(hosts_.size(), "host"),
                    format_count(nodes, "node")),
        "Use fewer ranks or more ranks per node" +
            (possible ? fmt::format("; or enlarge it: finegrain platform {} --nodes {} --out larger.xml",
                                    file.string(), *possible)
                      : ""));
  }
  for (const sg4::Link* link : engine_.get_all_links()) {
    if (!(link->get_bandwidth() > 0 && link->get_bandwidth() <= most_bytes_per_s &&
          link->get_latency() >= 0 && link->get_latency() <= longest_latency_s)) {
      throw InputError(file.string(),
                       fmt::format("link {} has a bandwidth of {} B/s and a latency of {} s (no network has)",
                                   link->get_name(), link->get_bandwidth(), link->get_latency()),
                       "Correct it");
    }
    link_places_.emplace(link, link_bandwidths_bytes_per_s_.size());
    link_bandwidths_bytes_per_s_.push_back(link->get_bandwidth());
  }
  // Before the platform is sealed: later, no zone may be added.
  sg4::NetZone* zone = sg4::create_empty_zone("finegrain memories")->set_parent(engine_.get_netzone_root());
  for (int domain = 0; domain < nodes * memory_domains; ++domain)
    memories_.push_back(zone->create_host(fmt::format("finegrain memory {}", domain),
                                          memory_bandwidth_bytes_per_s / memory_domains));
  zone->seal();
  // Routes may be asked for only afterwards.
  engine_.seal_platform();
}

std::vector<sg4::Link*> LoadedPlatform::links_between(int from, int to, double& latency_s) const {
  const sg4::Host* source = hosts_[static_cast<std::size_t>(from)];
  const sg4::Host* target = hosts_[static_cast<std::size_t>(to)];
  std::vector<sg4::Link*> links;
  source->route_to(target, links, &latency_s);
  if (links.empty()) {
    throw InputError(file_.string(),
                     fmt::format("no links from host {} to host {} (messages need a route)",
                                 source->get_name(), target->get_name()),
                     "Add one");
  }
  return links;
}

int LoadedPlatform::count_links(int from, int to) const {
  double latency_s = 0;
  return static_cast<int>(links_between(from, to, latency_s).size());
}

LoadedPlatform::Route LoadedPlatform::find_route(int from, int to) const {
  const sg4::Host* source = hosts_[static_cast<std::size_t>(from)];
  const sg4::Host* target = hosts_[static_cast<std::size_t>(to)];
  constexpr double infinite = std::numeric_limits<double>::infinity();
  Route route{.from = from,
              .to = to,
              .bandwidth_bytes_per_s = infinite,
              .shared_links = {},
              .most_bytes_per_s = infinite};
  double links_latency_s = 0;
  for (const sg4::Link* link : links_between(from, to, route.latency_s)) {
    links_latency_s += link->get_latency();
    route.bandwidth_bytes_per_s = std::min(route.bandwidth_bytes_per_s, link->get_bandwidth());
    if (link->get_sharing_policy() == sg4::Link::SharingPolicy::FATPIPE) {
      route.most_bytes_per_s = std::min(route.most_bytes_per_s, link->get_bandwidth());
    } else {
      route.shared_links.push_back(link_places_.at(link));
    }
  }
  if (std::abs(route.latency_s - links_latency_s) > 1e-9 * route.latency_s) {
    throw InputError(
        file_.string(),
        fmt::format(
            "the latency from host {} to host {} is not its links' (Vivaldi coordinates are not supported)",
            source->get_name(), target->get_name()),
        "Give latencies to links");
  }
  return route;
}

const LoadedPlatform::Route& LoadedPlatform::route(int from, int to) {
  const auto known = routes_.find({from, to});
  if (known != routes_.end()) return known->second;
  return routes_.emplace(std::pair(from, to), find_route(from, to)).first->second;
}

std::vector<std::string> LoadedPlatform::link_names() const {
  std::vector<std::string> names;
  for (const sg4::Link* link : engine_.get_all_links())
    names.push_back(link->get_name());
  return names;
}

void LoadedPlatform::share_bandwidth_equally() {
  for (sg4::Link* link : engine_.get_all_links())
    link->set_latency(0);
}

}  // namespace finegrain::replay
