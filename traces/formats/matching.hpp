// SPDX-License-Identifier: MIT
#pragma once

#include <compare>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <utility>

#include "traces/formats/rank_calls.hpp"

namespace finegrain::formats {

inline constexpr std::int32_t any_source = -1;

/// What a message is known by at the rank that receives it; or what a receive takes.
struct Envelope {
  std::int32_t communicator = 0;  ///< unknown_communicator: a receive takes any
  std::int32_t source = 0;        ///< any_source: a receive takes any
  bool any_tag = false;           ///< a receive takes any tag
  std::int32_t tag = 0;           ///< 0 if it may be any

  friend auto operator<=>(const Envelope&, const Envelope&) = default;
};

/// Which receive of a rank takes which message: of those that may, the one that was posted first takes the
/// one that arrived first.
template <class Message, class Receive>
class Matching {
 public:
  using Taken = std::pair<Envelope, Message>;

  /// A receive is posted. @returns the message that it takes, if there is one already
  std::optional<Taken> post(const Envelope& wanted, const Receive& receive) {
    const auto found = find_message(wanted);
    if (found == messages_.end()) {
      posted_[wanted].push_back({order_++, receive});
      return std::nullopt;
    }
    Taken taken(found->first, found->second.front().what);
    found->second.pop_front();
    if (found->second.empty()) messages_.erase(found);
    return taken;
  }

  /// A message arrives. @returns the receive that takes it, if one was posted
  std::optional<Receive> arrive(const Envelope& envelope, const Message& message) {
    auto first = posted_.end();
    for (const std::int32_t communicator : {envelope.communicator, unknown_communicator}) {
      for (const std::int32_t source : {envelope.source, any_source}) {
        for (const bool any_tag : {false, true}) {
          const auto found = posted_.find({communicator, source, any_tag, any_tag ? 0 : envelope.tag});
          if (found != posted_.end() &&
              (first == posted_.end() || found->second.front().order < first->second.front().order))
            first = found;
        }
      }
    }
    if (first == posted_.end()) {
      messages_[envelope].push_back({order_++, message});
      return std::nullopt;
    }
    const Receive receive = first->second.front().what;
    first->second.pop_front();
    if (first->second.empty()) posted_.erase(first);
    return receive;
  }

 private:
  template <class What>
  struct InOrder {
    std::uint64_t order;
    What what;
  };
  using Messages = std::map<Envelope, std::deque<InOrder<Message>>>;

  /// The one that arrived first of those that a receive may take.
  typename Messages::iterator find_message(const Envelope& wanted) {
    const bool is_exact =
        wanted.source != any_source && !wanted.any_tag && wanted.communicator != unknown_communicator;
    if (is_exact) return messages_.find(wanted);
    auto first = messages_.end();
    for (auto message = messages_.begin(); message != messages_.end(); ++message) {
      const Envelope& envelope = message->first;
      if ((wanted.communicator != unknown_communicator && envelope.communicator != wanted.communicator) ||
          (wanted.source != any_source && envelope.source != wanted.source) ||
          (!wanted.any_tag && envelope.tag != wanted.tag))
        continue;
      if (first == messages_.end() || message->second.front().order < first->second.front().order)
        first = message;
    }
    return first;
  }

  std::uint64_t order_ = 0;
  Messages messages_;                                        ///< that no receive has taken yet
  std::map<Envelope, std::deque<InOrder<Receive>>> posted_;  ///< that have taken none yet
};

}  // namespace finegrain::formats
