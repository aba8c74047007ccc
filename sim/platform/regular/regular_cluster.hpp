// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace finegrain::platform {

class PlatformDocument;

/// A platform that is one <cluster>, and nothing else: a switch, a fat tree, a torus or a dragonfly. What its
/// links are, and which of them a message crosses, follows from these numbers (Wiring).
struct RegularCluster {
  enum class Topology { single_switch, fat_tree, torus, dragonfly };

  std::string id;
  std::string prefix;
  std::string suffix;
  std::vector<int> hosts;  ///< their numbers, ascending: prefix, number and suffix are a host's name
  Topology topology = Topology::single_switch;
  /// topo_parameters, "2;16,8;1,16;1,1" as {{2}, {16, 8}, {1, 16}, {1, 1}}
  std::vector<std::vector<std::int64_t>> parameters = {};

  std::string host_name(std::size_t host) const;
  /// The place of a host among the hosts. None: there is no such host.
  std::optional<std::size_t> find_host(const std::string& name) const;

  /// The cluster with its first host alone.
  RegularCluster with_one_host() const;
};

/// The cluster of a platform, if the platform is regular: one <cluster> with attributes that are known, and
/// beside it nothing but settings. @pre check_numbers_and_sizes() did not refuse the document
std::optional<RegularCluster> regular_cluster(const PlatformDocument& document);

/// The text of the document with the first host of its cluster alone, on the same lines. It is for SimGrid to
/// check, and to read numbers with units from. None: the text has another form than was expected.
std::optional<std::string> text_with_one_host(const PlatformDocument& document);

}  // namespace finegrain::platform
