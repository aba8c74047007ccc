// SPDX-License-Identifier: MIT
#include "sim/replay/platform_summary.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include "sim/replay/child_process.hpp"
#include "sim/replay/loaded_platform.hpp"

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
