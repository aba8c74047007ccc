// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sim/platform_make/number.hpp"

namespace finegrain::platform_make {

/// A node or a switch of a fabric.
struct Vertex {
  std::string name;
  bool is_switch = false;
  std::string where;  ///< "file:line"
};

/// What connects two vertices: a cable, or several that share their traffic.
struct Cable {
  std::size_t one = 0;  ///< vertices
  std::size_t other = 0;
  std::string name;
  std::optional<Number> bandwidth = {};  ///< none: the file does not say
  std::string where = {};                ///< "file:line", and what stands there
};

/// A network as a site's tools describe it: nodes and switches, and the cables between them.
struct Fabric {
  std::vector<Vertex> vertices;
  std::vector<Cable> cables;
  std::vector<std::string> notes = {};  ///< what of the file is not in it, and why
};

/// What slurm.conf says of one node: "cores", "sockets", "memory_size".
using NodeNumbers = std::map<std::string, Numbers, std::less<>>;

std::size_t count_nodes(const Fabric& fabric);

/// The fabric with switches that have the same neighbours, and no node, as one: it keeps the cables of all.
/// The others stay without cables. So one of several equally short ways has the bandwidth of all, as if
/// routing spread traffic over them perfectly.
Fabric with_merged_switches(Fabric fabric);

/// A step of a route: a cable, and whether it is crossed from its first end to its other.
struct Step {
  std::size_t cable;
  bool is_forwards;
};

/// Shortest routes to one destination, for every vertex its next step; none at the destination itself, and
/// where there is no way.
using NextSteps = std::vector<std::optional<Step>>;

/// The shortest routes of a fabric, destination by destination. Where several ways are equally short, a
/// vertex takes the one over which the fewest destinations have been led before, as the "min hop" routing of
/// InfiniBand's subnet managers does. Nodes forward nothing.
class BalancedRoutes {
 public:
  explicit BalancedRoutes(const Fabric& fabric);
  /// To call for each destination once.
  NextSteps to(std::size_t destination);

 private:
  std::vector<int> hops_to(std::size_t destination) const;

  const Fabric& fabric_;
  std::vector<std::vector<Step>> steps_from_;              ///< by vertex
  std::vector<std::size_t> led_forwards_, led_backwards_;  ///< destinations, by cable
};

/// The steps from one vertex to the destination; empty: there is no way.
std::vector<Step> route_from(const Fabric& fabric, const NextSteps& next, std::size_t from);

}  // namespace finegrain::platform_make
