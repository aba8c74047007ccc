// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <deque>
#include <optional>

namespace finegrain::replay {

/// What a receiver has said of a message that it expects.
struct Expectation {
  double latency_s;      ///< from the message's end until it is there
  std::int64_t request;  ///< of the receiver
};

/// Messages of one connection: the first sent is the first expected, whichever ends first.
class Channel {
 public:
  /// @returns the message's number, for end()
  std::int64_t send();
  /// @returns what expect() said, if the receiver expects the message already
  std::optional<Expectation> end(std::int64_t message, double now_s);
  /// The receiver expects the next message.
  /// @returns when it is there, if the message has ended already
  std::optional<double> expect(const Expectation& expectation);

 private:
  struct Message {
    double ended_s = 0;
    Expectation expectation{};
    bool has_ended = false;
    bool is_expected = false;
  };

  Message& message(std::int64_t number);
  void forget_complete();

  std::deque<Message> messages_;
  std::int64_t forgotten_ = 0;  ///< messages before the first of `messages_`
  std::int64_t sent_ = 0;
  std::int64_t expected_ = 0;
};

}  // namespace finegrain::replay
