// SPDX-License-Identifier: MIT
#include "sim/platform/simgrid_file.hpp"

#include <fmt/format.h>
#include <strings.h>

#include "sim/platform/enlarged.hpp"
#include "sim/platform/scaled_links.hpp"
#include "sim/platform/simgrid_limits.hpp"
#include "sim/platform/text_properties.hpp"
#include "traces/io/input_error.hpp"
#include "traces/io/units.hpp"

namespace finegrain::platform {
namespace {

bool is_wifi_zone(const pugi::xml_node& zone) {
  return ::strcasecmp(zone.attribute("routing").value(), "Wifi") == 0;
}

std::vector<double> rates_of(std::string_view text, const std::string& where) {
  std::vector<double> rates;
  while (true) {
    const std::string_view one = text.substr(0, text.find(','));
    rates.push_back(parse_bandwidth_bytes_per_s(one, where));
    if (one.size() == text.size()) return rates;
    text.remove_prefix(one.size() + 1);
  }
}

/// The file's text for SimGrid 3.32, which refuses each <trace_connect>, because it comes after its link is
/// complete, and does not know the unit of "100GB/s".
std::string readable_text(PlatformDocument document) {
  const std::string slashed = fmt::format("({})[contains(., '/s')]", bandwidth_attributes);
  if (!document.xml().select_node(fmt::format("//trace_connect | //trace | {}", slashed).c_str()))
    return document.text();
  const pugi::xml_document& xml = document.xml_to_change();
  for (const pugi::xpath_node& match : xml.select_nodes("//trace_connect | //trace"))
    match.node().parent().remove_child(match.node());
  for (const pugi::xpath_node& match : xml.select_nodes(slashed.c_str())) {
    std::string text = match.attribute().value();
    for (std::size_t slash = text.find("/s"); slash != std::string::npos; slash = text.find("/s"))
      text.replace(slash, 2, "ps");
    match.attribute().set_value(text.c_str());
  }
  return document.saved();
}

}  // namespace

SimgridFile::SimgridFile(const std::filesystem::path& file, Clusters clusters)
    : file_(file),
      document_(file),
      profiles_(link_profiles(document_)),
      speed_profiles_(platform::speed_profiles(document_)),
      askable_routes_(document_),
      copy_(text_for_simgrid(clusters), file.string()) {
  find_wifi_links();
  if (const auto nodes = text_property(document_, {}, "nodes")) nodes_ = parse_count(*nodes, most_nodes);
  listed_ = node_list(document_);
  rails_ = read_rails(document_);
}

std::string SimgridFile::text_for_simgrid(Clusters clusters) {
  check_numbers_and_sizes(document_);
  const bool may_be_by_rule = clusters == Clusters::by_rule && read_rails(document_).count == 1;
  if (may_be_by_rule)
    if (auto text = text_with_one_host(document_)) {
      by_rule_ = regular_cluster(document_);
      return *text;
    }
  return readable_text(document_);
}

void SimgridFile::find_wifi_links() {
  for (const pugi::xpath_node& match : document_.xml().select_nodes("//link")) {
    const pugi::xml_node link = match.node();
    const std::string where = document_.place_of(link);
    const std::string id = link.attribute("id").value();
    const bool is_wifi = std::string_view(link.attribute("sharing_policy").value()) == "WIFI";
    const bool is_in_zone = is_wifi_zone(link.parent());
    if (is_wifi != is_in_zone)
      throw InputError(where,
                       is_wifi ? fmt::format("link {} has sharing_policy=\"WIFI\" in a zone that has not "
                                             "routing=\"Wifi\" (SimGrid has no stations for it)",
                                             id)
                               : fmt::format("link {} is in a zone with routing=\"Wifi\", and has not "
                                             "sharing_policy=\"WIFI\"",
                                             id),
                       "Make both Wi-Fi, or neither");
    if (!is_wifi) continue;
    if (const std::string latency = link.attribute("latency").value();
        !latency.empty() && parse_time_s(latency, where) > 0)
      throw InputError(
          where, fmt::format("Wi-Fi link {} has a latency of {}, which SimGrid cannot simulate", id, latency),
          "Remove it, or give latency=\"0us\"");
    wifi_links_[id] = {rates_of(link.attribute("bandwidth").value(), where), where};
  }
}

std::string SimgridFile::place_of_setting(std::string_view name) const {
  for (const pugi::xpath_node& match : document_.xml().select_nodes("//config/prop"))
    if (name == match.node().attribute("id").value()) return document_.place_of(match.node());
  return file_.string();
}

std::string SimgridFile::place_of_settings() const {
  return document_.place_of(document_.xml().select_node("//config").node());
}

}  // namespace finegrain::platform
