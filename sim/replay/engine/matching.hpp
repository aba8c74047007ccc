// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "sim/replay/engine/arrivals.hpp"
#include "sim/replay/engine/channel.hpp"
#include "sim/replay/programs/connections.hpp"
#include "sim/replay/replay.hpp"

namespace finegrain::replay {

/// Which message a receive gets, as MPI says: on a connection (sender, receiver, communicator, tag) the first
/// sent is the first received, whichever ends first. Receives of any source take the connection of the
/// recording; how many would have got another message first is counted.
class Matching {
 public:
  explicit Matching(std::size_t ranks) : arrivals_(ranks) {}
  /// Makes room for connections that were met for the first time.
  void grow(std::size_t connections) { channels_.resize(connections); }

  /// @param sender  as in Channel::send() @returns the message's number, for end()
  std::int64_t send(std::size_t connection, const Partner& sender) {
    return channels_[connection].send(sender, pool_);
  }
  /// The number of the next message of the connection.
  std::int64_t next(std::size_t connection) const { return channels_[connection].sent(); }
  /// The next message is one that waits. @returns it, to be started now, if it is expected already
  std::optional<Offer> offer(std::size_t connection, const Offer& offer) {
    return channels_[connection].offer(offer, pool_);
  }
  /// A message has ended. @returns whose receive it completes, if it is expected already
  std::optional<Expectation> end(std::size_t connection, std::int64_t message, const Completion& ended);
  /// The connection's next message is expected. @param any_source  as any rank's would have been: the strand
  /// is a rank. @returns the message, if it has ended already
  std::optional<Arrival> expect(std::size_t connection, Expectation expectation, bool any_source);
  /// The offer that the connection's last expected message is, to be started now; none: it is none.
  std::optional<Offer> take_offer(std::size_t connection) { return channels_[connection].take_offer(); }

  bool is_expected(std::size_t connection, std::int64_t message) const {
    return channels_[connection].is_expected(message);
  }
  /// The first message of the connection that waits for its receiver; null: none does.
  const Offer* waiting_offer(std::size_t connection) const { return channels_[connection].waiting_offer(); }
  /// Receives of any source that have got their message.
  std::int64_t wildcards() const { return wildcards_; }
  /// How many of these got their message before the receive posted before them did.
  std::int64_t out_of_order() const { return out_of_order_; }
  /// @param connections  those of the same places
  UnreceivedMessages unreceived(const std::vector<Connection>& connections) const;

 private:
  void note_arrival(std::size_t rank, std::int64_t wildcard, double at_s);

  MessagePool pool_;
  std::deque<Channel> channels_;    ///< the connections'
  std::vector<Arrivals> arrivals_;  ///< those of the ranks' receives of any source
  std::int64_t wildcards_ = 0;
  std::int64_t out_of_order_ = 0;
};

}  // namespace finegrain::replay
