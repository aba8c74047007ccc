// SPDX-License-Identifier: MIT
#include "sim/platform/link_changes.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "sim/platform/factors.hpp"
#include "sim/platform/platform_document.hpp"
#include "traces/io/input_error.hpp"
#include "traces/io/units.hpp"

namespace finegrain::platform {
namespace {

constexpr const char* change_property = "link_change";
constexpr const char* change_example = "Write it like link:leaf3 bandwidth=x0.25,latency=2us";

LinkNumber parse_link_number(std::string_view text, bool is_time, const std::string& where) {
  if (const double factor = parse_factor(text, where); factor != 0)
    return {.value = factor, .is_factor = true};
  const double value = is_time ? parse_time_s(text, where) : parse_bandwidth_bytes_per_s(text, where);
  if (!is_time && !(value > 0))
    throw InputError(where, fmt::format("'{}' is no bandwidth of a link that works", text),
                     "Give more than 0");
  return {.value = value, .is_factor = false};
}

}  // namespace

bool is_of_link(const LinkChange& change, std::string_view id) {
  if (!change.link.starts_with(id)) return false;
  const std::string_view direction = std::string_view(change.link).substr(id.size());
  return direction.empty() || direction == "_UP" || direction == "_DOWN";
}

std::string text_of(const LinkChange& change) {
  std::vector<std::string> numbers;
  const auto add = [&](const char* name, const std::optional<LinkNumber>& number, const char* unit) {
    if (!number) return;
    numbers.push_back(number->is_factor ? fmt::format("{}=x{}", name, number->value)
                                        : fmt::format("{}={}{}", name, number->value, unit));
  };
  add("bandwidth", change.bandwidth_bytes_per_s, "Bps");
  add("latency", change.latency_s, "s");
  return fmt::format("{}{} {}", link_change_mark, change.link, fmt::join(numbers, ","));
}

LinkChange parse_link_change(std::string_view text, const std::string& where) {
  LinkChange change{.link = {}, .bandwidth_bytes_per_s = {}, .latency_s = {}, .where = where};
  // Names of links may have blanks; numbers have none.
  const std::size_t blank = text.rfind(' ');
  if (!text.starts_with(link_change_mark) || blank == std::string_view::npos ||
      blank <= link_change_mark.size())
    throw InputError(where, fmt::format("'{}' does not say what changes of which link", text),
                     change_example);
  change.link = text.substr(link_change_mark.size(), blank - link_change_mark.size());
  std::string_view rest = text.substr(blank + 1);
  while (true) {
    const std::string_view one = rest.substr(0, rest.find(','));
    const std::size_t equals = one.find('=');
    const std::string_view name = one.substr(0, equals);
    const bool is_time = name == "latency";
    if (equals == std::string_view::npos || (!is_time && name != "bandwidth"))
      throw InputError(where, fmt::format("'{}' is neither bandwidth= nor latency=", one), change_example);
    std::optional<LinkNumber>& number = is_time ? change.latency_s : change.bandwidth_bytes_per_s;
    if (number) throw InputError(where, fmt::format("{} is given twice", name), "Give it once");
    number = parse_link_number(one.substr(equals + 1), is_time, where);
    if (one.size() == rest.size()) return change;
    rest.remove_prefix(one.size() + 1);
  }
}

std::vector<pugi::xml_node> nodes_of_link_changes(const PlatformDocument& document) {
  std::vector<pugi::xml_node> nodes;
  const std::string path = fmt::format("//prop[@id='{}']", change_property);
  for (const pugi::xpath_node& match : document.xml().select_nodes(path.c_str()))
    nodes.push_back(match.node());
  return nodes;
}

std::vector<LinkChange> link_changes(const PlatformDocument& document) {
  std::vector<LinkChange> changes;
  for (const pugi::xml_node& node : nodes_of_link_changes(document)) {
    const LinkChange change = parse_link_change(node.attribute("value").value(), document.place_of(node));
    changes.push_back(change);
    changes.back().where = fmt::format("--set {}{}", link_change_mark, change.link);
  }
  return changes;
}

std::string with_link_changes(PlatformDocument document, const std::vector<std::string>& texts) {
  const pugi::xml_document& xml = document.xml_to_change();
  pugi::xml_node zone = xml.select_node("/platform/*[self::zone or self::AS or self::cluster]").node();
  // SimGrid wants the properties of a zone before all else in it.
  for (auto text = texts.rbegin(); text != texts.rend(); ++text) {
    pugi::xml_node prop = zone.prepend_child("prop");
    prop.append_attribute("id").set_value(change_property);
    prop.append_attribute("value").set_value(text->c_str());
  }
  return document.saved();
}

}  // namespace finegrain::platform
