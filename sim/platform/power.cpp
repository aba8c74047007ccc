// SPDX-License-Identifier: MIT
#include "sim/platform/power.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <pugixml.hpp>
#include <string_view>
#include <utility>

#include "sim/platform/platform_document.hpp"
#include "sim/platform/text_properties.hpp"
#include "traces/io/input_error.hpp"
#include "traces/io/units.hpp"

namespace finegrain::platform {
namespace {

constexpr double most_watts = 1e9;

double parse_watts(std::string_view text, const std::string& where) {
  const double watts = parse_power_w(text, where);
  if (watts > most_watts)
    throw InputError(where, fmt::format("'{}' is more than any machine draws", text),
                     "Write it like 43W or 1.2kW");
  return watts;
}

/// "idle=20W,8=89W" as names and watts, in the order of the text.
std::vector<std::pair<std::string_view, double>> named_watts(const TextProperty& property,
                                                             std::string_view example) {
  std::vector<std::pair<std::string_view, double>> named;
  for (const auto& [name, power] : named_values(property, "power", example))
    named.emplace_back(name, parse_watts(power, property.where));
  return named;
}

std::vector<SocketPower> parse_socket(const TextProperty& property) {
  constexpr std::string_view example = "idle=20W,1=43W,8=89W";
  std::vector<SocketPower> table;
  for (const auto& [name, watts] : named_watts(property, example)) {
    int cores = 0;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), cores);
    if (name != "idle" && (error != std::errc() || end != name.data() + name.size() || cores < 1))
      throw InputError(property.where, fmt::format("'{}' is no number of busy cores", name),
                       fmt::format("Write it like {}", example));
    if (table.empty() ? cores != 0 : cores <= table.back().busy_cores)
      throw InputError(
          property.where,
          fmt::format("'{}' does not begin with idle and go on with more and more busy cores", property.text),
          fmt::format("Write it like {}", example));
    table.push_back({cores, watts});
  }
  if (table.size() < 2)
    throw InputError(property.where, fmt::format("'{}' has no power for busy cores", property.text),
                     fmt::format("Write it like {}", example));
  return table;
}

LinkPower parse_link(const TextProperty& property) {
  constexpr std::string_view example = "idle=2W,busy=5W";
  const auto named = named_watts(property, example);
  if (named.size() != 2 || named[0].first != "idle" || named[1].first != "busy" ||
      named[1].second < named[0].second)
    throw InputError(property.where,
                     fmt::format("'{}' is not the power of an idle link and of a busy one", property.text),
                     fmt::format("Write it like {}", example));
  return {named[0].second, named[1].second};
}

/// The text of a property that each of some elements has, and the first one's place. None: one has another
/// text, or none.
std::optional<TextProperty> same_of_all(const PlatformDocument& document, const char* elements,
                                        const char* name) {
  std::optional<TextProperty> found;
  for (const pugi::xpath_node& match : document.xml().select_nodes(elements)) {
    const pugi::xml_node prop = match.node().find_child([&](const pugi::xml_node& child) {
      return std::string_view(child.name()) == "prop" &&
             child.attribute("id").value() == std::string_view(name);
    });
    const std::string text = prop.attribute("value").value();
    if (!prop || (found && found->text != text)) return std::nullopt;
    if (!found) found = {text, fmt::format("{}: {}", document.place_of(prop), name)};
  }
  return found;
}

/// "95.0:120:200" as watts.
std::vector<double> colon_watts(std::string_view text, const std::string& where) {
  std::vector<double> watts;
  while (true) {
    std::string_view one = text.substr(0, text.find(':'));
    const std::size_t size = one.size();
    one.remove_prefix(std::min(one.find_first_not_of(' '), one.size()));
    one = one.substr(0, one.find_last_not_of(' ') + 1);
    double number = -1;
    const auto read = std::from_chars(one.data(), one.data() + one.size(), number);
    if (read.ec != std::errc() || read.ptr != one.data() + one.size() ||
        !(number >= 0 && number <= most_watts))
      throw InputError(where, fmt::format("'{}' is not a number of watts", one), "Write it like 95:120:200");
    watts.push_back(number);
    if (size == text.size()) return watts;
    text.remove_prefix(size + 1);
  }
}

/// The attribute that all hosts have with the same value; none: one has another. Empty: no host has it.
std::optional<std::string> same_attribute(const PlatformDocument& document, const char* elements,
                                          const char* name) {
  std::optional<std::string> found;
  for (const pugi::xpath_node& match : document.xml().select_nodes(elements)) {
    const std::string text = match.node().attribute(name).value();
    if (found && *found != text) return std::nullopt;
    found = text;
  }
  return found;
}

/// What SimGrid's plugin host_energy computes: nothing busy draws `idle`; with k of c cores busy a host draws
/// epsilon + k / c x (all - epsilon), which is linear from the first core to the last. Without an epsilon it
/// is the idle power. Source: SimGrid 3.32, src/plugins/host_energy.cpp, "How are the energy values
/// computed".
std::optional<Powers> simgrid_powers(const PlatformDocument& document) {
  constexpr const char* hosts = "//host | //cluster | //cabinet | //peer";
  const auto wattage = same_of_all(document, hosts, "wattage_per_state");
  const auto core = same_attribute(document, hosts, "core");
  const auto pstate = same_attribute(document, hosts, "pstate");
  if (!wattage || !core || core->empty() || !pstate) return std::nullopt;
  const int cores = std::max(1, document.cores().value_or(1));
  std::size_t state = 0;
  std::from_chars(pstate->data(), pstate->data() + pstate->size(), state);
  std::string_view of_state = wattage->text;
  const auto states = static_cast<std::size_t>(std::ranges::count(of_state, ',')) + 1;
  if (state >= states)
    throw InputError(wattage->where,
                     fmt::format("'{}' has powers of {}, and the hosts are in state {} (pstate, from 0 on)",
                                 of_state, format_count(static_cast<std::int64_t>(states), "state"), state),
                     "Give those of every state, with commas between");
  for (std::size_t other = 0; other < state; ++other)
    of_state.remove_prefix(of_state.find(',') + 1);
  const std::vector<double> watts = colon_watts(of_state.substr(0, of_state.find(',')), wattage->where);
  if (watts.size() != 2 && watts.size() != 3)
    throw InputError(wattage->where,
                     fmt::format("'{}' is not idle:all cores or idle:epsilon:all cores", of_state),
                     "Write it like 95:120:200");
  const double epsilon = watts.size() == 3 ? watts[1] : watts[0];
  Powers powers{.socket = {{0, watts.front()}}};
  if (cores > 1) powers.socket.push_back({1, epsilon + (watts.back() - epsilon) / cores});
  powers.socket.push_back({cores, watts.back()});
  const bool has_other_links =
      static_cast<bool>(document.xml().select_node("//cluster | //cabinet | //peer"));
  if (const auto range = same_of_all(document, "//link", "wattage_range"); range && !has_other_links) {
    const std::vector<double> of_link = colon_watts(range->text, range->where);
    if (of_link.size() != 2 || of_link[1] < of_link[0])
      throw InputError(range->where, fmt::format("'{}' is not idle:busy", range->text), "Write it like 1:3");
    powers.link = {of_link[0], of_link[1]};
  }
  return powers;
}

/// Powers of a host as a whole are of one socket. @throws InputError if the file says that there are more
void check_one_socket(const PlatformDocument& document, const std::vector<std::string>& overrides) {
  const auto sockets = text_property(document, overrides, "sockets");
  if (sockets && sockets->text != "1")
    throw InputError(sockets->where,
                     fmt::format("{}, and wattage_per_state is of a whole host", sockets->text),
                     "Give socket_power, or leave one of them out");
}

}  // namespace

double Powers::socket_w(double busy_cores) const {
  const auto above =
      std::ranges::find_if(socket, [&](const SocketPower& point) { return point.busy_cores >= busy_cores; });
  if (above == socket.begin()) return above->watts;
  const auto below = above - 1;
  return below->watts + (above->watts - below->watts) * (busy_cores - below->busy_cores) /
                            (above->busy_cores - below->busy_cores);
}

std::optional<Powers> read_powers(const PlatformDocument& document,
                                  const std::vector<std::string>& overrides) {
  const auto node = text_property(document, overrides, "node_power");
  const auto link = text_property(document, overrides, "link_power");
  const auto socket = text_property(document, overrides, "socket_power");
  if (!socket) {
    if (std::optional<Powers> powers = simgrid_powers(document)) {
      check_one_socket(document, overrides);
      if (node) powers->node_w = parse_watts(node->text, node->where);
      if (link) powers->link = parse_link(*link);
      return powers;
    }
    if (node || link)
      throw InputError(node ? node->where : link->where,
                       "there is no socket_power (without it no energy is computed)",
                       "Add it, or leave this out");
    return std::nullopt;
  }
  Powers powers{.socket = parse_socket(*socket)};
  if (node) powers.node_w = parse_watts(node->text, node->where);
  if (link) powers.link = parse_link(*link);
  return powers;
}

}  // namespace finegrain::platform
