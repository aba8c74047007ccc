// SPDX-License-Identifier: MIT
#include "sim/replay/engine/networks.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "sim/replay/programs/compiler.hpp"
#include "traces/io/input_error.hpp"

namespace finegrain::replay {
namespace {

/// A route without links, as between Vivaldi's coordinates, takes its latency only: the bytes pass at once.
constexpr double without_links_bytes_per_s = 1e18;

constexpr std::string_view shared = "shared";
constexpr std::string_view ordered = "ordered";

/// A network, by the name that `network` has before its colon.
struct Named {
  std::string_view name;
  std::unique_ptr<Network> (*make)(const NetworkParts& parts, const std::string& parameters);
};

std::unique_ptr<Network> without_parameters(std::unique_ptr<Network> (*make)(const NetworkParts& parts),
                                            const NetworkParts& parts, const std::string& parameters) {
  if (parameters.empty()) return make(parts);
  throw InputError(fmt::format("{}: network", parts.platform.file.string()),
                   fmt::format("'{}' follows its name (it has no parameters)", parameters), "Leave them out");
}

const std::vector<Named>& named_networks() {
  static const std::vector<Named> named{
      {shared,
       [](const NetworkParts& parts, const std::string& parameters) {
         return without_parameters(make_shared_network, parts, parameters);
       }},
      {ordered,
       [](const NetworkParts& parts, const std::string& parameters) {
         return without_parameters(make_ordered_network, parts, parameters);
       }},
      {"credit", make_credit_network},
  };
  return named;
}

/// What the platform's `network` names; null: it has none. @throws as check_network()
const Named* named_network(const platform::Platform& platform) {
  if (platform.network.empty()) return nullptr;
  const std::string where = fmt::format("{}: network", platform.file.string());
  const std::string name = platform.network.substr(0, platform.network.find(':'));
  const auto named = std::ranges::find(named_networks(), name, &Named::name);
  if (named == named_networks().end()) {
    std::vector<std::string_view> names;
    for (const Named& one : named_networks())
      names.push_back(one.name);
    throw InputError(where, fmt::format("'{}' is not a network", name),
                     fmt::format("Known are {}", fmt::join(names, ", ")));
  }
  if (keeps_order(platform.costs) && name != ordered)
    throw InputError(
        where,
        fmt::format("'{}' does not follow replies, request_bytes, link_queues and connection_lead, "
                    "of which one is given",
                    name),
        "Leave network or that out");
  return &*named;
}

}  // namespace

void check_network(const platform::Platform& platform) {
  const Named* const named = named_network(platform);
  const Routing* const routing = routing_of(platform);
  const bool is_shared = (named == nullptr || named->name == shared) && !keeps_order(platform.costs);
  if (platform.costs.stripe_above_bytes && !is_shared)
    throw InputError(platform.file.string(), "stripe_above is given, which only the network 'shared' follows",
                     "Leave one of them out");
  if (platform.costs.stripe_above_bytes && routing != nullptr)
    throw InputError(platform.file.string(), "stripe_above is given, and messages take the ways of a routing",
                     "Leave one of them out");
  if (platform.costs.latency_factors.empty() && platform.costs.bandwidth_factors.empty()) return;
  const auto refuse = [&](const std::string& why) {
    throw InputError(
        platform.file.string(),
        "latency_factors or bandwidth_factors are given (or smpi/lat-factor or smpi/bw-factor), " + why,
        "Leave one of them out");
  };
  if (!is_shared) refuse("which only the network 'shared' follows");
  if (platform.changes_over_time) refuse("which are not followed on platforms that change during the run");
}

void Network::count(const Sending& sending, const Flow& flow) {
  const LoadedPlatform::Route& route = *routes_[sending.route];
  unloaded_.latencies_s += std::max(route.latency_s, flow.latency_s);
  if (route.bandwidth_bytes_per_s <= 0) return;
  const bool is_in_turn = flow.kind == Flow::Kind::blocked_on;
  (is_in_turn ? unloaded_.bytes_in_turn_s : unloaded_.bytes_s) += sending.bytes / route.bandwidth_bytes_per_s;
}

double part_of_share(double bytes, const Flow& flow, const platform::PlatformCosts& costs) {
  using enum Flow::Kind;
  const bool is_message =
      flow.kind == sent || flow.kind == buffered || flow.kind == offered || flow.kind == permitted;
  return is_message ? costs.bandwidth_factors.of(bytes) : 1;
}

double most_bytes_per_s(const LoadedPlatform::Route& route, const platform::PlatformCosts& costs) {
  double most = route.most_bytes_per_s;
  const double latency_s = route.latency_s + route.late_s;
  if (costs.tcp_window_bytes && latency_s > 0)
    most = std::min(most, *costs.tcp_window_bytes / (2 * latency_s));
  if (route.shared_links.empty()) most = std::min(most, without_links_bytes_per_s);
  return most;
}

double alone_bytes_per_s(const LoadedPlatform::Route& route,
                         const std::vector<double>& link_bandwidths_bytes_per_s,
                         const platform::PlatformCosts& costs) {
  if (!route.stripes.empty()) {
    double last_s = 0;  // that one byte takes
    for (const LoadedPlatform::Route::Stripe& stripe : route.stripes)
      last_s = std::max(last_s,
                        stripe.part / alone_bytes_per_s(*stripe.route, link_bandwidths_bytes_per_s, costs));
    return 1 / last_s;
  }
  double alone = most_bytes_per_s(route, costs);
  for (const std::size_t link : route.shared_links)
    alone = std::min(alone, link_bandwidths_bytes_per_s[link] /
                                static_cast<double>(std::ranges::count(route.shared_links, link)));
  return alone;
}

double Network::alone_s(const Sending& sending, const Flow& flow) const {
  const double there_s = sending.bytes / rate_bytes_per_s(sending.route);
  return flow.kind != Flow::Kind::fetches ? there_s
                                          : there_s + flow.bytes_back / rate_bytes_per_s(flow.connection);
}

std::unique_ptr<Network> make_network(const NetworkParts& parts) {
  check_network(parts.platform);
  const Named* const named = named_network(parts.platform);
  if (parts.platform.costs.stripe_above_bytes) {
    if (parts.loaded.rails().count == 1)
      throw InputError(fmt::format("{}: stripe_above", parts.platform.file.string()),
                       "nodes have one network adapter each (rails says how many)",
                       "Leave it out, or make the platform with rails (finegrain platform make)");
    return make_striped_network(parts);
  }
  if (const Routing* const routing = routing_of(parts.platform)) return make_routed_network(parts, *routing);
  if (named == nullptr)
    return keeps_order(parts.platform.costs) ? make_ordered_network(parts) : make_shared_network(parts);
  const std::string& text = parts.platform.network;
  return named->make(parts, text == named->name ? "" : text.substr(named->name.size() + 1));
}

}  // namespace finegrain::replay
