// SPDX-License-Identifier: MIT
#include "sim/platform/removed_links.hpp"

#include <fmt/format.h>
#include <strings.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "sim/platform/link_changes.hpp"
#include "traces/io/input_error.hpp"

namespace finegrain::platform {
namespace {

constexpr const char* slow_instead =
    "Make the link slow instead: --set 'link:NAME bandwidth=x0.001'; or, where finegrain platform make wrote "
    "the "
    "file, write it anew --without the link";

/// Whether a way can be another one: the zone's routes are cables between neighbours.
bool finds_ways(const pugi::xml_node& zone) {
  const char* const routing = zone.attribute("routing").value();
  return ::strcasecmp(routing, "Floyd") == 0 || ::strcasecmp(routing, "Dijkstra") == 0 ||
         ::strcasecmp(routing, "DijkstraCache") == 0;
}

/// Whether an element names the link, or one direction of it.
bool is_of(const pugi::xml_node& element, const std::string& link) {
  const std::string_view id = element.attribute("id").value();
  return id == link || id == link + "_UP" || id == link + "_DOWN";
}

bool is_route(const pugi::xml_node& element) {
  constexpr std::array<std::string_view, 3> names{"route", "zoneRoute", "ASroute"};
  return std::ranges::find(names, element.name()) != names.end();
}

/// Removes the cable between two neighbours that leads over the link.
void remove_use(const PlatformDocument& document, pugi::xml_node use, const std::string& link) {
  pugi::xml_node route = use.parent();
  pugi::xml_node zone = route.parent();
  if (!is_route(route) || !finds_ways(zone))
    throw InputError(
        document.place_of(use),
        fmt::format("the way that is given here leads over the link {}, and no other one is known", link),
        slow_instead);
  zone.remove_child(route);
}

}  // namespace

std::string removed_link(std::string_view text) {
  if (!text.starts_with(link_change_mark) || text.size() == link_change_mark.size())
    throw InputError("--without", fmt::format("'{}' does not name a link", text), "Write it like link:leaf3");
  return std::string(text.substr(link_change_mark.size()));
}

std::string without_links(PlatformDocument document, const std::vector<std::string>& links) {
  const pugi::xml_document& xml = document.xml_to_change();
  for (const std::string& text : links) {
    const std::string link = removed_link(text);
    pugi::xml_node element;
    for (const pugi::xpath_node& match : xml.select_nodes("//link"))
      if (match.node().attribute("id").value() == link) element = match.node();
    if (!element)
      throw InputError(
          "--without " + text,
          "the platform has no <link> of this name (a cluster's own links cannot be left out: its rule "
          "leads over each of them)",
          "finegrain platform FILE --links prints their names. " + std::string(slow_instead));
    for (const pugi::xpath_node& match : xml.select_nodes("//link_ctn | //host_link[@up or @down]")) {
      const pugi::xml_node use = match.node();
      const bool is_hosts = std::string_view(use.name()) == "host_link";
      if (is_hosts ? use.attribute("up").value() == link || use.attribute("down").value() == link
                   : is_of(use, link))
        remove_use(document, use, link);
    }
    for (const pugi::xpath_node& match : xml.select_nodes("//trace_connect"))
      if (match.node().attribute("element").value() == link)
        throw InputError(document.place_of(match.node()),
                         fmt::format("a profile gives the link {} its numbers during the run", link),
                         "Remove this line");
    element.parent().remove_child(element);
  }
  return document.saved();
}

}  // namespace finegrain::platform
