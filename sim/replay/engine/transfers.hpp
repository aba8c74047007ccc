// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace finegrain::replay {

/// A message on its way between nodes, or being copied within one, and who is told that it has ended.
struct Flow {
  /// buffered: sent, and nobody waits until it has left. permitted: offered, and its sender waits only until
  /// it may go. leg: of the transfer at place `connection`.
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
  std::int64_t request = 0;  ///< of that strand, of all but blocked_on
  /// Of started: until the rank knows. Of blocked_on: the latencies there and back, where connections keep an
  /// order. Of messages: after its end.
  double latency_s = 0;
  std::size_t connection = 0;  ///< of messages; of fetches: the route back
  std::int64_t message = 0;    ///< of messages: its number in the channel
  double bytes_back = 0;       ///< of fetches
  double late_s = 0;           ///< of messages: how much longer their latency is than the file says
};

/// puts, gets: several, one after the other, each of which is permitted while others are on their way.
enum class TransferWay : std::uint8_t { message, put, puts, get, gets, fetch };

/// What goes over the connections of two ranks, leg after leg, where these keep an order
/// (keeps_order()). A leg begins when all that was put on its connection before has passed.
struct Transfer {
  struct Leg {
    double bytes = 0;
    bool is_data = false;  ///< otherwise a reply, which takes no time of its own
    bool is_back = false;  ///< from `to` to `from`
    /// The target of a put or get answers. Its library does this after everything else that has arrived.
    bool is_late = false;
  };

  Flow flow;  ///< what ends with it
  std::int32_t from;
  std::int32_t to;
  std::size_t route;
  std::size_t route_back;  ///< of a fetch
  bool is_one_sided = false;
  double latency_s = 0;  ///< of one-sided: of each leg, after which it has arrived
  std::array<Leg, 4> legs = {};
  std::uint8_t leg_count = 0;
  std::uint8_t next = 0;
  std::uint8_t permitted = 4;  ///< legs before this one may go
  bool is_later = false;       ///< its data begin while its rank may have gone on

  void add(const Leg& leg) { legs[leg_count++] = leg; }
  const Leg& leg() const { return legs[next]; }
  std::size_t data_route() const { return leg().is_back ? route_back : route; }
  std::int32_t sender_of(const Leg& leg) const { return leg.is_back ? to : from; }
};

}  // namespace finegrain::replay
