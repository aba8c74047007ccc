// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace finegrain::platform {

class PlatformDocument;

/// Which routes SimGrid 3.32 may be asked for. Where a zone with routing Dijkstra has no route, SimGrid ends
/// in a segmentation fault or does not end at all; with routing None or Cluster, it aborts.
class AskableRoutes {
 public:
  explicit AskableRoutes(const PlatformDocument& document);

  /// Whether SimGrid may be asked for the route between two hosts.
  /// @param from, to  names from the outside inwards: the platform's zone, ..., the host
  bool may_ask(std::span<const std::string> from, std::span<const std::string> to) const;

 private:
  struct Zone {
    bool is_star = false;
    std::set<std::string> unlinked;  ///< hosts of a star without links
    std::set<std::string> elements;  ///< directly in it
    std::map<std::string, std::vector<std::string>> neighbours;
    std::vector<std::string> gateways;  ///< the zone's, in the routes of the zone around it
  };
  bool reaches(const Zone& zone, const std::string& from, const std::string& to) const;
  /// Whether the way out of the zones below the first `common` names is there, or in.
  bool passes(std::span<const std::string> path, std::size_t common, bool is_outwards) const;

  std::map<std::string, Zone> zones_;
};

}  // namespace finegrain::platform
