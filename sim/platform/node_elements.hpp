// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <pugixml.hpp>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace finegrain::platform {

class PlatformDocument;

/// Properties that may have other values on other nodes: those of their memory.
inline constexpr std::array<std::string_view, 3> properties_of_nodes = {
    "memory_bandwidth", "memory_bandwidth_per_core", "memory_size"};

/// A host of the file, or one of a cluster's.
struct NodeElement {
  std::string name;
  pugi::xml_node element;  ///< <host>, <cluster>, <cabinet> or <peer>
};

/// Where the properties of nodes stand in a file.
class NodeProperties {
 public:
  explicit NodeProperties(const PlatformDocument& document);
  /// The <prop> of a node: its own, or that of the innermost zone around it that has one, or else one of any
  /// zone. None: there is none. @param number  the property's in properties_of_nodes
  pugi::xml_node of(const pugi::xml_node& node, std::size_t number);

 private:
  pugi::xml_node of_zone(const pugi::xml_node& zone, std::size_t number);

  std::array<pugi::xml_node, properties_of_nodes.size()> of_any_zone_;
  /// By the zone: a zone of many hosts is searched once.
  std::array<std::unordered_map<std::size_t, pugi::xml_node>, properties_of_nodes.size()> known_;
};

/// Cores that the file gives a node; none if it does not say.
std::optional<int> cores_of(const pugi::xml_node& element);

/// All hosts that may be nodes, in natural order of their names: those that stand for an adapter on another
/// rail are left out. @throws InputError if they are more than most_nodes
std::vector<std::string> host_names(const PlatformDocument& document);

/// The nodes in the order of replays: that of a node list, or else natural order of their names. Empty where
/// all hosts of the file have the same cores, the same speed, and the same texts of the properties that may
/// differ.
/// @throws InputError if they are more than most_nodes
std::vector<NodeElement> unlike_nodes(const PlatformDocument& document);

}  // namespace finegrain::platform
