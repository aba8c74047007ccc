// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "sim/platform/platform.hpp"

namespace finegrain::replay {

/// One direction between two hosts.
struct WaySummary {
  double latency_s = 0;
  double bandwidth_bytes_per_s = 0;  ///< the narrowest link's
  bool operator==(const WaySummary&) const = default;
};

/// Both directions between two hosts, each where the file has a route.
struct RouteSummary {
  std::string from;
  std::string to;
  std::optional<WaySummary> there;
  std::optional<WaySummary> back;
  int rails = 1;  ///< each node's; the ways are those of the first
};

/// A platform file as SimGrid sees it.
struct PlatformSummary {
  std::int64_t hosts = 0;
  std::int64_t cores_per_host = 0;  ///< the first host's
  bool cores_differ = false;        ///< from host to host
  /// From the first host to the second and to the last; fewer where there are fewer hosts.
  std::vector<RouteSummary> routes;

  /// The route of the first host and the second; nullptr: there is no route, or only one way.
  const RouteSummary* first_route() const;
};

/// Loads a platform, in a process of its own.
/// @throws InputError if SimGrid refuses it
PlatformSummary summarize_platform(const std::filesystem::path& file);

/// A blocking get of some bytes over the route: o, there, and back again. What the closed form calls tau.
/// @pre both ways are there
double get_s(const RouteSummary& route, double message_overhead_s);

/// What one flow gets on the route: its narrowest link, or TCP's window.
/// @pre it is there
double flow_bytes_per_s(const RouteSummary& route, std::optional<double> tcp_window_bytes);

/// What tau and remote_bandwidth are derived of, in words.
std::string way_of_tau(const RouteSummary& route);
std::string limit_of_flow(const RouteSummary& route, std::optional<double> tcp_window_bytes);

/// If tau and remote_bandwidth are not given, derives them from a route.
/// @returns a sentence for each that was derived
std::vector<std::string> derive_remote_costs(platform::Platform& platform, const RouteSummary& route);

/// The same from the route of the first host to the second; leaves the platform as it is where SimGrid finds
/// no route.
std::vector<std::string> derive_remote_costs(platform::Platform& platform);

/// How many links a message crosses between each two of the platform's first nodes, as routed from the one
/// with the lower number; 0 from a node to itself. In a process of its own. Shape [nodes][nodes]
/// @throws InputError if SimGrid refuses the file, or it has fewer hosts or lacks a route
std::vector<std::vector<int>> hops_between_nodes(const std::filesystem::path& file, int nodes);

}  // namespace finegrain::replay
