// SPDX-License-Identifier: MIT
#include "sim/replay/simgrid_wires.hpp"

#include <algorithm>
#include <exception>

#include "sim/platform/natural_order.hpp"

namespace finegrain::replay {

namespace sg4 = simgrid::s4u;

namespace {

/// The names of a host's zones, from the platform's inwards, and its own.
std::vector<std::string> path_of(const sg4::Host* host) {
  std::vector<std::string> names{host->get_name()};
  // SimGrid 3.32 may not be asked for the parent of the outermost zone.
  const sg4::NetZone* const outermost = sg4::Engine::get_instance()->get_netzone_root();
  const sg4::NetZone* zone = host->get_englobing_zone();
  for (; zone != outermost; zone = zone->get_parent())
    names.push_back(zone->get_name());
  names.push_back(outermost->get_name());
  std::ranges::reverse(names);
  return names;
}

}  // namespace

SimgridWires::SimgridWires(const platform::SimgridFile& file)
    : file_(file),
      hosts_(sg4::Engine::get_instance()->get_all_hosts()),
      links_(sg4::Engine::get_instance()->get_all_links()) {
  std::sort(hosts_.begin(), hosts_.end(), [](const auto* a, const auto* b) {
    return platform::natural_less(a->get_name(), b->get_name());
  });
  for (const sg4::Host* host : hosts_)
    host_places_.emplace(host, host_places_.size());
  for (const sg4::Link* link : links_)
    link_places_.emplace(link, link_places_.size());
}

std::optional<std::size_t> SimgridWires::find_host(const std::string& name) const {
  const sg4::Host* const host = sg4::Host::by_name_or_null(name);
  return host == nullptr ? std::nullopt : std::optional(host_places_.at(host));
}

std::optional<std::size_t> SimgridWires::find_link(const std::string& name) const {
  const sg4::Link* const link = sg4::Link::by_name_or_null(name);
  return link == nullptr ? std::nullopt : std::optional(link_places_.at(link));
}

double SimgridWires::bandwidth_bytes_per_s(std::size_t link) const {
  const auto wifi = file_.wifi_links().find(links_[link]->get_name());
  return wifi == file_.wifi_links().end() ? links_[link]->get_bandwidth()
                                          : wifi->second.rates_bytes_per_s.front();
}

/// SimGrid's links without FATPIPE and Wi-Fi are shared.
bool SimgridWires::is_private(std::size_t link) const {
  return links_[link]->get_sharing_policy() == sg4::Link::SharingPolicy::FATPIPE;
}

Wires::Way SimgridWires::way(std::size_t from_host, std::size_t to_host) const {
  const sg4::Host* const source = hosts_[from_host];
  const sg4::Host* const target = hosts_[to_host];
  Way way;
  if (!file_.askable_routes().may_ask(path_of(source), path_of(target))) return way;
  std::vector<sg4::Link*> links;
  try {
    source->route_to(target, links, &way.latency_s);
  } catch (const std::exception&) {  // "No route from ..."
    return {};
  }
  for (const sg4::Link* link : links)
    way.links.push_back(link_places_.at(link));
  return way;
}

}  // namespace finegrain::replay
