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
  return std::tie(route.from, route.to, route.latency_s, route.bandwidth_bytes_per_s);
}
auto parts_of(PlatformSummary& summary) {
  return std::tie(summary.hosts, summary.cores_per_host, summary.routes);
}

namespace {

PlatformSummary load(const std::filesystem::path& file) {
  LoadedPlatform loaded(file, 0, 1, 0);
  const auto& hosts = loaded.hosts();
  PlatformSummary summary;
  summary.hosts = static_cast<std::int64_t>(hosts.size());
  summary.cores_per_host = hosts.empty() ? 0 : hosts.front()->get_core_count();
  const int last = static_cast<int>(hosts.size()) - 1;
  for (int target = 1; target <= last; target = target == 1 ? std::max(last, 2) : last + 1) {
    const LoadedPlatform::Route& route = loaded.route(0, target);
    summary.routes.push_back({hosts.front()->get_name(), hosts[static_cast<std::size_t>(target)]->get_name(),
                              route.latency_s, route.bandwidth_bytes_per_s});
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

double get_s(const RouteSummary& route, double message_overhead_s) {
  return message_overhead_s + 2 * route.latency_s;
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
         fmt::format("tau = {} is derived: message_overhead + 2 x the latency", format_time(tau_s)));
  derive(costs.remote_bandwidth_bytes_per_s, route.bandwidth_bytes_per_s,
         fmt::format("remote_bandwidth = {} is derived: the narrowest link",
                     format_bandwidth(route.bandwidth_bytes_per_s)));
  return sentences;
}

std::vector<std::string> derive_remote_costs(platform::Platform& platform) {
  if (platform.costs.tau_s && platform.costs.remote_bandwidth_bytes_per_s) return {};
  try {
    const PlatformSummary summary = summarize_platform(platform.file);
    if (!summary.routes.empty()) return derive_remote_costs(platform, summary.routes.front());
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
        const LoadedPlatform loaded(file, nodes, 1, 1);
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
