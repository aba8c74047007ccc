// SPDX-License-Identifier: MIT
#include "sim/replay/regular_wires.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <simgrid/s4u.hpp>

namespace finegrain::replay {

namespace sg4 = simgrid::s4u;

namespace {

using platform::Wiring;
using Topology = platform::RegularCluster::Topology;

/// SimGrid's own link, which is the last in its list.
constexpr const char* own_loopback = "__loopback__";

bool has_link(const std::string& name) {
  return sg4::Link::by_name_or_null(name) != nullptr;
}

/// What SimGrid has made for the cluster with one host.
platform::WiringParts parts_in_simgrid(const platform::RegularCluster& one) {
  const auto has_first = [&](platform::WiringParts parts, Wiring::Kind kind) {
    const auto wiring = platform::make_wiring(one, parts);
    for (std::size_t link = 0; link < wiring->links(); ++link)
      if (wiring->kind(link) == kind) return has_link(wiring->name(link));
    return false;
  };
  platform::WiringParts parts;
  parts.is_duplex = has_first({.is_duplex = true}, Wiring::Kind::cable);
  parts.has_loopbacks = has_first({.has_loopbacks = true}, Wiring::Kind::loopback);
  parts.has_limiters = has_first({.has_limiters = true}, Wiring::Kind::limiter);
  parts.has_backbone =
      one.topology == Topology::single_switch && has_first({.has_backbone = true}, Wiring::Kind::backbone);
  return parts;
}

}  // namespace

RegularWires::RegularWires(const platform::RegularCluster& cluster)
    // Where switches have limiters, SimGrid does not add their latencies.
    : has_latencies_of_limiters_(cluster.topology == Topology::single_switch) {
  const platform::RegularCluster one = cluster.with_one_host();
  const platform::WiringParts parts = parts_in_simgrid(one);
  wiring_ = platform::make_wiring(cluster, parts);
  number_links();

  const auto wiring_of_one = platform::make_wiring(one, parts);
  std::array<Numbers, 4> by_kind{};
  for (std::size_t link = 0; link < wiring_of_one->links(); ++link) {
    const sg4::Link* const loaded = sg4::Link::by_name(wiring_of_one->name(link));
    by_kind.at(static_cast<std::size_t>(wiring_of_one->kind(link))) = {
        loaded->get_bandwidth(), loaded->get_latency(),
        loaded->get_sharing_policy() == sg4::Link::SharingPolicy::FATPIPE};
  }
  numbers_.reserve(in_wiring_.size() + 1);
  for (const std::uint32_t link : in_wiring_) {
    const Wiring::Kind kind = wiring_->kind(link);
    numbers_.push_back(by_kind.at(static_cast<std::size_t>(kind)));
    if (kind == Wiring::Kind::cable) numbers_.back().bandwidth_bytes_per_s *= wiring_->cables_in_one(link);
  }
  const std::vector<sg4::Link*> loaded = sg4::Engine::get_instance()->get_all_links();
  if (!loaded.empty() && loaded.back()->get_name() == own_loopback)
    numbers_.push_back({loaded.back()->get_bandwidth(), loaded.back()->get_latency(),
                        loaded.back()->get_sharing_policy() == sg4::Link::SharingPolicy::FATPIPE});
  const sg4::Host* const host = sg4::Host::by_name(wiring_->cluster().host_name(0));
  cores_ = host->get_core_count();
  speed_flops_per_s_ = host->get_speed();
}

/// SimGrid lists links in the order of their names.
void RegularWires::number_links() {
  std::vector<std::string> names;
  names.reserve(wiring_->links());
  for (std::size_t link = 0; link < wiring_->links(); ++link)
    names.push_back(wiring_->name(link));
  in_wiring_.resize(names.size());
  std::iota(in_wiring_.begin(), in_wiring_.end(), 0U);
  std::ranges::sort(in_wiring_, {}, [&](std::uint32_t link) -> const std::string& { return names[link]; });
  places_.resize(names.size());
  for (std::size_t place = 0; place < in_wiring_.size(); ++place)
    places_[in_wiring_[place]] = static_cast<std::uint32_t>(place);
}

std::string RegularWires::link_name(std::size_t link) const {
  return link < in_wiring_.size() ? wiring_->name(in_wiring_[link]) : own_loopback;
}

std::optional<std::size_t> RegularWires::find_link(const std::string& name) const {
  const auto found =
      std::ranges::lower_bound(in_wiring_, name, {}, [&](std::uint32_t link) { return wiring_->name(link); });
  const auto link = static_cast<std::size_t>(found - in_wiring_.begin());
  if (link < links() && link_name(link) == name) return link;
  return name == own_loopback && links() > in_wiring_.size() ? std::optional(in_wiring_.size())
                                                             : std::nullopt;
}

Wires::Way RegularWires::way(std::size_t from_host, std::size_t to_host) const {
  return way_over(wiring_->way(from_host, to_host));
}

Wires::Ways RegularWires::ways(std::size_t from_host, std::size_t to_host) const {
  Ways ways;
  for (const auto& way : wiring_->shortest_ways(from_host, to_host))
    ways.shortest.push_back(way_over(way));
  for (const auto& way : wiring_->detours(from_host, to_host))
    ways.detours.push_back(way_over(way));
  return ways;
}

Wires::Way RegularWires::way_over(const std::vector<std::size_t>& in_wiring) const {
  Way way;
  for (const std::size_t crossed : in_wiring) {
    const std::size_t link = places_[crossed];
    way.links.push_back(link);
    if (has_latencies_of_limiters_ || wiring_->kind(crossed) != Wiring::Kind::limiter)
      way.latency_s += numbers_[link].latency_s;
  }
  return way;
}

}  // namespace finegrain::replay
