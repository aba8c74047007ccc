// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <boost/container/small_vector.hpp>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "sim/replay/engine/completion.hpp"

namespace finegrain::replay {

/// What a receiver has said of a message that it expects.
struct Expectation {
  double latency_s;      ///< from the message's end until it is there
  std::size_t strand;    ///< the receiver's
  std::int64_t request;  ///< that strand's
  /// The number of a receive that would have taken any rank's message, among the rank's. Otherwise 0.
  std::int64_t wildcard = 0;
  Partner sender = {};  ///< known once the message has ended
};

/// A message that has ended.
struct Arrival {
  Completion there;  ///< its receiver has it
  Partner sender;
};

/// A message whose bytes go once it is expected (rendezvous).
struct Offer {
  std::size_t sender;    ///< its strand
  std::int64_t request;  ///< that strand's
  double bytes;
  double offered_s;
  double latency_s;            ///< from one rank to the other, as it was when the message was offered
  double back_s;               ///< latency of the answer
  double more_latency_s = 0;   ///< of the message itself, by its size (Step)
  Partner partner = {};        ///< the sender, and when it had come
  std::int64_t message;        ///< its number
  bool is_copy = false;        ///< within a node: so many bytes of memory are moved first
  bool is_buffered = false;    ///< its sender goes on when it may go
  bool is_striped = false;     ///< divided among all rails
  std::uint32_t transfer = 0;  ///< where connections keep an order: its place among the transfers
};

/// A message that was sent or is expected, or both.
struct Message {
  Completion ended;
  Partner sender;
  Expectation expectation{};
  bool has_ended = false;
  bool is_expected = false;
  std::unique_ptr<Offer> offer = nullptr;  ///< most messages are none
};

/// The messages of connections that are on their way. There may be a million connections, of which few have
/// one at a time: the others take no memory here.
class MessagePool {
 public:
  struct Messages {
    boost::container::small_vector<Message, 1> all;  ///< most often one, without memory of its own
    std::size_t complete = 0;                        ///< how many of them, at the front
  };

  /// An empty one.
  Messages* take();
  /// Gives one back.
  void put(Messages* messages);

 private:
  std::deque<Messages> messages_;
  std::vector<Messages*> free_;
};

/// Messages of one connection: the first sent is the first expected, whichever ends first.
class Channel {
 public:
  /// @param sender  for whom somebody waits who waits for the message from before
  /// @returns the message's number, for end()
  std::int64_t send(const Partner& sender, MessagePool& pool);
  /// The next message is one that waits. @returns it, to be started now, if the receiver expects it already
  std::optional<Offer> offer(const Offer& offer, MessagePool& pool);
  /// The offer that the message of the last expect() is, to be started now; none: it is none.
  std::optional<Offer> take_offer();
  /// @returns what expect() said, if the receiver expects the message already
  std::optional<Expectation> end(std::int64_t message, const Completion& ended, MessagePool& pool);
  /// The receiver expects the next message.
  /// @returns the message, if it has ended already
  std::optional<Arrival> expect(const Expectation& expectation, MessagePool& pool);
  /// Messages that were sent and that nobody expects.
  std::int64_t unreceived() const { return std::max<std::int64_t>(0, sent_ - expected_); }
  std::int64_t sent() const { return sent_; }
  bool is_expected(std::int64_t message) const { return message < expected_; }
  /// The first message that waits for its receiver; null: none does.
  const Offer* waiting_offer() const;

 private:
  Message& message(std::int64_t number, MessagePool& pool);
  void forget_complete(MessagePool& pool);

  MessagePool::Messages* messages_ = nullptr;  ///< null: nothing is on its way
  std::int64_t forgotten_ = 0;                 ///< messages before the first of `messages_`
  std::int64_t sent_ = 0;
  std::int64_t expected_ = 0;
};

}  // namespace finegrain::replay
