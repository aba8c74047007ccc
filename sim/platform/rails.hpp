// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace finegrain::platform {

class PlatformDocument;

/// By which of its node's network adapters (rails) a rank sends a message. It arrives by the same one.
enum class RailChoice : std::uint8_t {
  round_robin,  ///< the sender's place among the ranks of its node, modulo the rails
  blocks,  ///< the ranks of a node in equal blocks, one for each rail: the rail of their socket, where ranks
           ///< fill sockets
  pairs,   ///< (sender + receiver) modulo the rails
};

inline constexpr int most_rails = 64;
/// In place of a rail's number: the message is divided among all of them.
inline constexpr int all_rails = -1;

/// The adapters of each node.
struct Rails {
  int count = 1;
  RailChoice choice = RailChoice::round_robin;
  std::string where = {};  ///< "file:line: rails"
};

/// The properties rails and rail_choice.
/// @throws InputError if one is wrong, or there are several rails and neither `nodes` nor `node_list`
Rails read_rails(const PlatformDocument& document);

/// The host that stands for an adapter of a node: the node itself for rail 0, "~rail1~NAME" for rail 1. These
/// come last in natural order, so that `nodes` leaves them out of the nodes.
std::string rail_host(const std::string& node, int rail);
/// Whether a host stands for the adapter of a node on another rail than the first.
bool is_further_adapter(std::string_view host, const Rails& rails);

/// @throws InputError that names the known ones
RailChoice parse_rail_choice(const std::string& text, const std::string& where);

}  // namespace finegrain::platform
