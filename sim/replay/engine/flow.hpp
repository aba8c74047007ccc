// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>

namespace finegrain::replay {

/// A message on its way between nodes, or being copied within one, and who is told that it has ended.
struct Flow {
  /// buffered: sent, and nobody waits until it has left. permitted: offered, and its sender waits only until
  /// it may go. leg: a part of a transfer, for the network alone.
  enum class Kind : std::uint8_t {
    blocked_on,
    started,
    sent,
    buffered,
    offered,
    permitted,
    fetches,
    copied,
    leg
  };
  Kind kind;
  std::size_t strand;        ///< that posted it
  std::int64_t request = 0;  ///< that strand's, for all but blocked_on
  /// What follows the transfer: for started, until the rank knows; for blocked_on, the latencies there and
  /// back, where connections keep an order; for messages, after its end.
  double latency_s = 0;
  std::size_t connection = 0;  ///< a message's; a fetch's: the route back; a leg's: the transfer
  std::int64_t message = 0;    ///< a message's number in the channel
  double bytes_back = 0;       ///< a fetch's
  double late_s = 0;           ///< how much longer a message's latency is than the file says
  /// When ended() would be told if nothing else were on the way. Until the flow starts: since when it would
  /// be on its way.
  double alone_s = 0;
};

}  // namespace finegrain::replay
