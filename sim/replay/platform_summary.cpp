// SPDX-License-Identifier: MIT
#include "sim/replay/platform_summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <tuple>
#include <utility>

#include "sim/replay/child_process.hpp"
#include "sim/replay/loaded_platform.hpp"
#include "traces/io/input_error.hpp"
#include "traces/io/units.hpp"

namespace finegrain::replay {
// For bytes.hpp.
auto parts_of(RouteSummary& route) {
  return std::tie(route.from, route.to, route.there, route.back, route.rails);
}
auto parts_of(PlatformSummary& summary) {
  return std::tie(summary.hosts, summary.cores_per_host, summary.cores_differ, summary.routes);
}

namespace {

std::optional<WaySummary> way_between(LoadedPlatform& loaded, int from, int to) {
  const LoadedPlatform::Route* route = loaded.find_route(from, to);
  if (route == nullptr) return std::nullopt;
  return WaySummary{route->latency_s, route->bandwidth_bytes_per_s};
}

PlatformSummary load(const std::filesystem::path& file) {
  LoadedPlatform loaded(file);
  PlatformSummary summary;
  summary.hosts = loaded.nodes();
  summary.cores_per_host = loaded.nodes() == 0 ? 0 : loaded.cores(0);
  for (int node = 0; node < loaded.nodes(); ++node)
    summary.cores_differ |= loaded.cores(node) != summary.cores_per_host;
  const int last = loaded.nodes() - 1;
  for (int target = 1; target <= last; target = target == 1 ? std::max(last, 2) : last + 1) {
    summary.routes.push_back({loaded.host_name(0), loaded.host_name(target), way_between(loaded, 0, target),
                              way_between(loaded, target, 0), loaded.rails().count});
  }
  return summary;
}

}  // namespace

PlatformSummary summarize_platform(const std::filesystem::path& file) {
  PlatformSummary summary;
  forked<PlatformSummary>(
      1, 1, [&](std::size_t /*index*/) { return load(file); },
      [&](std::size_t /*index*/, PlatformSummary loaded) { summary = std::move(loaded); });
  return summary;
}

const RouteSummary* PlatformSummary::first_route() const {
  return !routes.empty() && routes.front().there && routes.front().back ? &routes.front() : nullptr;
}

double get_s(const RouteSummary& route, double message_overhead_s) {
  return message_overhead_s + (route.there->latency_s + route.back->latency_s);
}

double flow_bytes_per_s(const RouteSummary& route, std::optional<double> tcp_window_bytes) {
  const WaySummary& way = *route.there;
  if (!tcp_window_bytes || way.latency_s == 0) return way.bandwidth_bytes_per_s;
  return std::min(way.bandwidth_bytes_per_s, *tcp_window_bytes / (2 * way.latency_s));
}

std::string way_of_tau(const RouteSummary& route) {
  return route.there->latency_s == route.back->latency_s ? "2 x the latency" : "the latencies there and back";
}

std::string limit_of_flow(const RouteSummary& route, std::optional<double> tcp_window_bytes) {
  return flow_bytes_per_s(route, tcp_window_bytes) < route.there->bandwidth_bytes_per_s
             ? "tcp_window over 2 x the latency"
             : "the narrowest link";
}

std::vector<std::string> derive_remote_costs(platform::Platform& platform, const RouteSummary& route) {
  platform::PlatformCosts& costs = platform.costs;
  std::vector<std::string> sentences;
  const auto derive = [&](std::optional<double>& cost, double value, const std::string& origin) {
    if (cost) return;
    cost = value;
    sentences.push_back(fmt::format("{}: {} of the route from {} to {}, since the file has none.",
                                    platform.name, origin, route.from, route.to));
  };
  const double tau_s = get_s(route, costs.message_overhead_s);
  derive(costs.tau_s, tau_s,
         fmt::format("tau = {} is derived: message_overhead + {}", format_time(tau_s), way_of_tau(route)));
  const double flow = flow_bytes_per_s(route, costs.tcp_window_bytes);
  const double of_node = flow * route.rails;
  derive(costs.remote_bandwidth_bytes_per_s, of_node,
         fmt::format("remote_bandwidth = {} is derived: {}{}", format_bandwidth(of_node),
                     route.rails > 1 ? fmt::format("{} rails x ", route.rails) : "",
                     limit_of_flow(route, costs.tcp_window_bytes)));
  return sentences;
}

std::vector<std::string> derive_remote_costs(platform::Platform& platform) {
  if (platform.costs.tau_s && platform.costs.remote_bandwidth_bytes_per_s) return {};
  try {
    const PlatformSummary summary = summarize_platform(platform.file);
    if (const RouteSummary* route = summary.first_route()) return derive_remote_costs(platform, *route);
  } catch (const InputError&) {
    // Without a route they stay unknown; the user is asked for them where they are used.
  }
  return {};
}

std::vector<std::vector<int>> hops_between_nodes(const std::filesystem::path& file, int nodes) {
  const auto count = static_cast<std::size_t>(nodes);
  std::vector<std::vector<int>> hops;
  forked<std::vector<std::vector<int>>>(
      1, 1,
      [&](std::size_t /*index*/) {
        const LoadedPlatform loaded(file, nodes);
        std::vector<std::vector<int>> found(count, std::vector<int>(count));
        for (int from = 0; from < nodes; ++from)
          for (int to = from + 1; to < nodes; ++to)
            found[static_cast<std::size_t>(from)][static_cast<std::size_t>(to)] =
                found[static_cast<std::size_t>(to)][static_cast<std::size_t>(from)] =
                    loaded.count_links(from, to);
        return found;
      },
      [&](std::size_t /*index*/, std::vector<std::vector<int>> found) { hops = std::move(found); });
  return hops;
}

}  // namespace finegrain::replay
