// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace finegrain::platform {

class PlatformDocument;

/// Which hosts of a platform are its nodes, in which order, and which ranks they get: what a hostfile or a
/// rankfile says. A platform file holds it as the properties node_list and nodes_of_ranks.
struct NodeList {
  struct Named {
    std::string host;
    std::optional<int> slots;  ///< the most ranks; none: as many as it has cores for
    friend bool operator==(const Named&, const Named&) = default;
  };
  std::vector<Named> nodes;              ///< each once
  std::vector<int> nodes_of_ranks = {};  ///< a rankfile's, by places among the nodes; empty: any placement

  friend bool operator==(const NodeList&, const NodeList&) = default;
};

/// None: the hosts are nodes in natural order of their names.
/// @throws InputError with file and line
std::optional<NodeList> node_list(const PlatformDocument& document);

/// The text of a platform file with other nodes. @throws InputError if its zone is not found
std::string with_node_list(const std::filesystem::path& file, const NodeList& list);

}  // namespace finegrain::platform
