// SPDX-License-Identifier: MIT
#include "sim/platform/regular/wiring.hpp"

#include <fmt/format.h>

#include <utility>

namespace finegrain::platform {

std::vector<std::size_t> Wiring::way(std::size_t from, std::size_t to) const {
  Way way;
  if (from == to && parts_.has_loopbacks)
    way.push_back(cable_links() + from);
  else
    add_way(from, to, way);
  return way;
}

std::size_t Wiring::links() const {
  return first_limiter() + limiters() + (parts_.has_backbone ? 1 : 0);
}

Wiring::Kind Wiring::kind(std::size_t link) const {
  if (link < cable_links()) return Kind::cable;
  if (link < first_limiter()) return Kind::loopback;
  return link < first_limiter() + limiters() ? Kind::limiter : Kind::backbone;
}

std::string Wiring::name(std::size_t link) const {
  switch (kind(link)) {
    case Kind::cable:
      if (!parts_.is_duplex) return cable_name(link);
      return cable_name(link / 2) + (link % 2 == 0 ? "_UP" : "_DOWN");
    case Kind::loopback:
      return fmt::format("{}_link_{}_loopback", cluster_.id, cluster_.hosts[link - cable_links()]);
    case Kind::limiter:
      return fmt::format("{}_link_{}_limiter", cluster_.id, limiter_number(link - first_limiter()));
    case Kind::backbone:
      break;
  }
  return cluster_.id + "_backbone";
}

double Wiring::cables_in_one(std::size_t link) const {
  return cables_in_one_of(parts_.is_duplex ? link / 2 : link);
}

std::size_t Wiring::limiter_number(std::size_t limiter) const {
  return limiter < hosts() ? limiter : 2 * hosts() - 1 - (limiter - hosts());
}

void Wiring::add_up(std::size_t cable, Way& way) const {
  way.push_back(parts_.is_duplex ? 2 * cable : cable);
}

void Wiring::add_down(std::size_t cable, Way& way) const {
  way.push_back(parts_.is_duplex ? 2 * cable + 1 : cable);
}

void Wiring::add_limiter_of_host(std::size_t host, Way& way) const {
  if (parts_.has_limiters) way.push_back(first_limiter() + host);
}

void Wiring::add_limiter_of_switch(std::size_t number, Way& way) const {
  add_limiter_of_host(hosts() + number, way);
}

void Wiring::add_backbone(Way& way) const {
  if (parts_.has_backbone) way.push_back(first_limiter() + limiters());
}

std::string SingleSwitch::cable_name(std::size_t cable) const {
  return fmt::format("{}_link_{}", cluster().id, cluster().hosts[cable]);
}

std::size_t SingleSwitch::limiter_number(std::size_t limiter) const {
  return static_cast<std::size_t>(cluster().hosts[limiter]);
}

/// Each link once: to itself, a host's cable without duplex is one link.
void SingleSwitch::add_way(std::size_t from, std::size_t to, Way& way) const {
  add_limiter_of_host(from, way);
  add_up(from, way);
  add_backbone(way);
  if (from != to || parts().is_duplex) add_down(to, way);
  if (from != to) add_limiter_of_host(to, way);
}

std::unique_ptr<Wiring> make_wiring(const RegularCluster& cluster, WiringParts parts) {
  using enum RegularCluster::Topology;
  switch (cluster.topology) {
    case single_switch:
      break;
    case fat_tree:
      return std::make_unique<FatTree>(cluster, parts);
    case torus:
      return std::make_unique<Torus>(cluster, parts);
    case dragonfly:
      return std::make_unique<Dragonfly>(cluster, parts);
  }
  return std::make_unique<SingleSwitch>(cluster, parts);
}

}  // namespace finegrain::platform
