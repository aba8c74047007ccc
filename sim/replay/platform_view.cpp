// SPDX-License-Identifier: MIT
#include "sim/replay/platform_view.hpp"

#include <string_view>

#include "sim/replay/bytes.hpp"
#include "sim/replay/child_process.hpp"
#include "sim/replay/machine.hpp"

namespace finegrain {
namespace {

std::string load(const std::filesystem::path& file) {
  Machine machine(file, 0, 0);
  const auto& hosts = machine.hosts();
  std::string bytes;
  append(bytes, static_cast<std::int64_t>(hosts.size()));
  append(bytes, static_cast<std::int64_t>(hosts.empty() ? 0 : hosts.front()->get_core_count()));
  const int last = static_cast<int>(hosts.size()) - 1;
  const std::vector<int> targets = last < 1    ? std::vector<int>{}
                                   : last == 1 ? std::vector{1}
                                               : std::vector{1, last};
  for (const int target : targets) {
    append(bytes, std::string(hosts.front()->get_name()));
    append(bytes, std::string(hosts[static_cast<std::size_t>(target)]->get_name()));
    append(bytes, machine.route(0, target).latency_s);
    append(bytes, machine.route(0, target).bandwidth_bytes_per_s);
  }
  return bytes;
}

}  // namespace

PlatformView view_platform(const std::filesystem::path& file) {
  const auto answers = run_in_processes(1, 1, [&](std::size_t) { return load(file); });
  std::string_view bytes = answers.front();
  PlatformView view;
  take(bytes, view.hosts);
  take(bytes, view.cores_per_host);
  while (!bytes.empty()) {
    RouteView& route = view.routes.emplace_back();
    take(bytes, route.from);
    take(bytes, route.to);
    take(bytes, route.latency_s);
    take(bytes, route.bandwidth_bytes_per_s);
  }
  return view;
}

}  // namespace finegrain
