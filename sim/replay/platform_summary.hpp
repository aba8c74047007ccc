// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "sim/platform/platform.hpp"

namespace finegrain::replay {

struct RouteSummary {
  std::string from;
  std::string to;
  double latency_s = 0;
  double bandwidth_bytes_per_s = 0;  ///< of the narrowest link
};

/// A platform file as SimGrid sees it.
struct PlatformSummary {
  std::int64_t hosts = 0;
  std::int64_t cores_per_host = 0;  ///< of the first host
  std::vector<RouteSummary>
      routes;  ///< from the first host to the second and to the last; fewer where there are fewer
};

/// Loads a platform, in a process of its own.
/// @throws InputError if SimGrid refuses it, or it lacks one of the routes
PlatformSummary summarize_platform(const std::filesystem::path& file);

/// A blocking get of some bytes over the route: o, there, and back again. What the closed form calls tau.
double get_s(const RouteSummary& route, double message_overhead_s);

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
