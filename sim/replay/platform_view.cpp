// SPDX-License-Identifier: MIT
#include "sim/replay/platform_view.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include "sim/replay/child_process.hpp"
#include "sim/replay/machine.hpp"

namespace finegrain::replay {
// For bytes.hpp.
auto parts_of(RouteView& route) {
  return std::tie(route.from, route.to, route.latency_s, route.bandwidth_bytes_per_s);
}
auto parts_of(PlatformView& view) {
  return std::tie(view.hosts, view.cores_per_host, view.routes);
}

namespace {

PlatformView load(const std::filesystem::path& file) {
  Machine machine(file, 0, 0);
  const auto& hosts = machine.hosts();
  PlatformView view;
  view.hosts = static_cast<std::int64_t>(hosts.size());
  view.cores_per_host = hosts.empty() ? 0 : hosts.front()->get_core_count();
  const int last = static_cast<int>(hosts.size()) - 1;
  for (int target = 1; target <= last; target = target == 1 ? std::max(last, 2) : last + 1) {
    const Machine::Route& route = machine.route(0, target);
    view.routes.push_back({hosts.front()->get_name(), hosts[static_cast<std::size_t>(target)]->get_name(),
                           route.latency_s, route.bandwidth_bytes_per_s});
  }
  return view;
}

}  // namespace

PlatformView view_platform(const std::filesystem::path& file) {
  PlatformView view;
  forked<PlatformView>(
      1, 1, [&](std::size_t /*index*/) { return load(file); },
      [&](std::size_t /*index*/, PlatformView loaded) { view = std::move(loaded); });
  return view;
}

}  // namespace finegrain::replay
