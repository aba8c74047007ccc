// SPDX-License-Identifier: MIT
#include "sim/replay/engine/networks.hpp"

#include <algorithm>

#include "sim/replay/programs/compiler.hpp"

namespace finegrain::replay {
namespace {

/// A route without links, as between Vivaldi's coordinates, takes its latency only: the bytes pass at once.
constexpr double without_links_bytes_per_s = 1e18;

}  // namespace

double most_bytes_per_s(const LoadedPlatform::Route& route, const platform::PlatformCosts& costs) {
  double most = route.most_bytes_per_s;
  const double latency_s = route.latency_s + route.late_s;
  if (costs.tcp_window_bytes && latency_s > 0)
    most = std::min(most, *costs.tcp_window_bytes / (2 * latency_s));
  if (route.shared_links.empty()) most = std::min(most, without_links_bytes_per_s);
  return most;
}

std::unique_ptr<Network> make_network(const NetworkParts& parts) {
  return keeps_order(parts.platform.costs) ? make_ordered_network(parts) : make_shared_network(parts);
}

}  // namespace finegrain::replay
