// SPDX-License-Identifier: MIT
#include "sim/platform/askable_routes.hpp"

#include <strings.h>

#include <algorithm>
#include <string_view>

#include "sim/platform/platform_document.hpp"

namespace finegrain::platform {
namespace {

bool is_routed_by(const pugi::xml_node& zone, const char* routing) {
  return ::strcasecmp(zone.attribute("routing").value(), routing) == 0;
}

/// The hosts of a zone with routing Cluster that have no <host_link>.
std::set<std::string> hosts_without_link(const pugi::xml_node& zone) {
  std::set<std::string> hosts;
  for (const pugi::xml_node& host : zone.children("host"))
    hosts.insert(host.attribute("id").value());
  for (const pugi::xml_node& link : zone.children("host_link"))
    hosts.erase(link.attribute("id").value());
  return hosts;
}

bool is_route(std::string_view element) {
  return element == "route" || element == "zoneRoute" || element == "ASroute";
}

bool is_bypass(std::string_view element) {
  return element.starts_with("bypass");
}

bool is_symmetrical(const pugi::xml_node& route) {
  return ::strcasecmp(route.attribute("symmetrical").as_string("yes"), "yes") == 0;
}

}  // namespace

AskableRoutes::AskableRoutes(const PlatformDocument& document) {
  for (const pugi::xpath_node& match : document.xml().select_nodes("//zone | //AS")) {
    const pugi::xml_node element = match.node();
    const bool goes_around = std::ranges::any_of(
        element.children(), [](const pugi::xml_node& child) { return is_bypass(child.name()); });
    const bool is_star = is_routed_by(element, "Cluster");
    const bool is_known = is_star || is_routed_by(element, "None") || is_routed_by(element, "Dijkstra") ||
                          is_routed_by(element, "DijkstraCache");
    if (!is_known || goes_around) continue;
    Zone& zone = zones_[element.attribute("id").value()];
    zone.is_star = is_star;
    if (is_star) zone.unlinked = hosts_without_link(element);
    for (const pugi::xml_node& route : element.children()) {
      zone.elements.insert(route.attribute("id").value());
      if (!is_route(route.name())) continue;
      const std::string from = route.attribute("src").value();
      const std::string to = route.attribute("dst").value();
      zone.neighbours[from].push_back(to);
      std::vector<std::string>& back = zone.neighbours[to];
      if (is_symmetrical(route)) back.push_back(from);
    }
  }
  if (zones_.empty()) return;
  for (const pugi::xpath_node& match : document.xml().select_nodes("//zoneRoute | //ASroute")) {
    for (const auto& [end, gateway] : {std::pair("src", "gw_src"), std::pair("dst", "gw_dst")}) {
      const auto zone = zones_.find(match.node().attribute(end).value());
      if (zone != zones_.end()) zone->second.gateways.emplace_back(match.node().attribute(gateway).value());
    }
  }
}

bool AskableRoutes::reaches(const Zone& zone, const std::string& from, const std::string& to) const {
  if (zone.is_star) return !zone.unlinked.contains(from) && !zone.unlinked.contains(to);
  if (!zone.neighbours.contains(from) || !zone.neighbours.contains(to)) return false;
  std::set<std::string> reached{from};
  std::vector<std::string> to_visit{from};
  while (!to_visit.empty() && !reached.contains(to)) {
    const std::string at = std::move(to_visit.back());
    to_visit.pop_back();
    for (const std::string& next : zone.neighbours.at(at))
      if (reached.insert(next).second) to_visit.push_back(next);
  }
  return reached.contains(to);
}

bool AskableRoutes::passes(std::span<const std::string> path, std::size_t common, bool is_outwards) const {
  for (std::size_t place = common; place + 1 < path.size(); ++place) {
    const auto zone = zones_.find(path[place]);
    if (zone == zones_.end()) continue;
    const std::string& inner = path[place + 1];
    const bool is_there = std::ranges::any_of(zone->second.gateways, [&](const std::string& gateway) {
      if (gateway == inner) return true;
      // A gateway deeper inside is left to SimGrid.
      if (!zone->second.elements.contains(gateway)) return true;
      return is_outwards ? reaches(zone->second, inner, gateway) : reaches(zone->second, gateway, inner);
    });
    if (!is_there) return false;
  }
  return true;
}

bool AskableRoutes::may_ask(std::span<const std::string> from, std::span<const std::string> to) const {
  if (zones_.empty()) return true;
  std::size_t common = 0;
  while (common + 1 < from.size() && common + 1 < to.size() && from[common] == to[common])
    ++common;
  if (common == 0) return true;
  const auto zone = zones_.find(from[common - 1]);
  if (zone != zones_.end() && !reaches(zone->second, from[common], to[common])) return false;
  return passes(from, common, true) && passes(to, common, false);
}

}  // namespace finegrain::platform
