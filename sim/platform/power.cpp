// SPDX-License-Identifier: MIT
#include "sim/platform/power.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string_view>
#include <utility>

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
