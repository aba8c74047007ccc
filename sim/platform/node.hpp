// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace finegrain::platform {

/// What one node has of its own, where the nodes of a platform are unlike one another.
struct Node {
  std::string name;          ///< the host's
  std::optional<int> cores;  ///< none: the file does not say
  std::string speed;         ///< as the file has it, e.g. "20Gf"
  // Relative to those of the platform's first node:
  double memory_bandwidth = 1;
  double memory_bandwidth_per_core = 1;
  double memory_size = 1;
  /// How many times longer recorded work takes there than on hosts without this; none: as their speeds say.
  std::optional<double> work = {};

  friend bool operator==(const Node&, const Node&) = default;
};

/// "fast-0", "fast-0 and fast-1", "fast-0 to fast-7": nodes, for people. Only numbers that follow one another
/// have a "to"; of many others some are named: "a3, a7, a9 ... b1 (12 nodes)". @pre there is one
std::string names_of(const std::vector<std::string>& nodes);

/// Nodes that are alike, in the order of their first ones, e.g. for a row each. Shape [kinds][nodes of one]
std::vector<std::vector<Node>> kinds_of(const std::vector<Node>& nodes);

}  // namespace finegrain::platform
