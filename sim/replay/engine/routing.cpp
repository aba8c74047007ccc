// SPDX-License-Identifier: MIT
#include "sim/replay/engine/routing.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "sim/replay/programs/compiler.hpp"
#include "traces/io/input_error.hpp"

namespace finegrain::replay {
namespace {

/// SimGrid's own: the destination modulo k in fat trees, the shortest way in dragonflies.
constexpr std::string_view minimal = "minimal";

const std::vector<Routing>& all_routings() {
  static const std::vector<Routing> routings{spray_routing(), adaptive_routing(), valiant_routing(),
                                             ugal_routing()};
  return routings;
}

}  // namespace

std::pair<double, double> LinkLoads::with_packet(const WaysOfMessage::Way& way) const {
  double fullest = 0;
  double all = 0;
  for (const std::size_t place : way.places) {
    const double load = loads_[place] + of_packet_[place];
    fullest = std::max(fullest, load);
    all += load;
  }
  return {fullest, all};
}

void LinkLoads::add_packet(const WaysOfMessage::Way& way) {
  for (const std::size_t place : way.places)
    loads_[place] += of_packet_[place];
}

std::size_t LinkLoads::least_full(const std::vector<WaysOfMessage::Way>& ways) const {
  const auto least =
      std::ranges::min_element(ways, {}, [this](const WaysOfMessage::Way& way) { return with_packet(way); });
  return static_cast<std::size_t>(least - ways.begin());
}

const Routing* routing_of(const platform::Platform& platform) {
  if (platform.routing.empty()) return nullptr;
  const std::string where = fmt::format("{}: routing", platform.file.string());
  const auto routing = std::ranges::find(all_routings(), platform.routing, &Routing::name);
  if (routing == all_routings().end() && platform.routing != minimal) {
    std::vector<std::string_view> names{minimal};
    for (const Routing& one : all_routings())
      names.push_back(one.name);
    throw InputError(where, fmt::format("'{}' is not a routing", platform.routing),
                     fmt::format("Known are {}", fmt::join(names, ", ")));
  }
  if (routing == all_routings().end()) return nullptr;
  const bool is_shared =
      platform.network.empty() ? !keeps_order(platform.costs) : platform.network == "shared";
  if (!is_shared)
    throw InputError(where,
                     fmt::format("messages take several ways with '{}', but one with network, replies, "
                                 "request_bytes, link_queues or connection_lead, of which one is given",
                                 platform.routing),
                     "Leave routing or that out");
  return &*routing;
}

}  // namespace finegrain::replay
