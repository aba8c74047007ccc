// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace finegrain::platform {

class PlatformDocument;

/// The power that a socket draws with this many busy cores. It includes its share of the node's memory.
struct SocketPower {
  int busy_cores;
  double watts;
};

/// A link draws more the more it carries: from idle_w to busy_w, in proportion to its load.
struct LinkPower {
  double idle_w = 0;
  double busy_w = 0;
};

/// The powers that the parts of a machine draw.
struct Powers {
  std::vector<SocketPower> socket;  ///< ascending, from no busy core to all; two at least
  double node_w = 0;                ///< drawn at all times by everything else in a node
  LinkPower link = {};

  int cores_of_socket() const { return socket.back().busy_cores; }
  /// Interpolated linearly between two points of `socket`. @pre 0 <= busy_cores <= cores_of_socket()
  double socket_w(double busy_cores) const;
};

/// The properties socket_power, node_power and link_power. Without socket_power, what SimGrid's plugins read:
/// wattage_per_state of the hosts ("idle:epsilon:all cores" of the pstate that they are in) as one socket of
/// all cores, and wattage_range of the links. It counts where all hosts have the same, and the same `core`,
/// and for links, where all have the same. None: neither is given.
/// @throws InputError if one is malformed, or node_power or link_power stands alone
std::optional<Powers> read_powers(const PlatformDocument& document,
                                  const std::vector<std::string>& overrides);

}  // namespace finegrain::platform
