// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <deque>
#include <optional>

namespace finegrain {

/// Messages from one rank to another: the first sent is the first expected, whichever ends first.
class Channel {
 public:
  /// @returns the message's number, for end()
  std::int64_t send();
  /// @returns what expect() said, if the receiver expects the message already
  std::optional<double> end(std::int64_t message, double now_s);
  /// The receiver expects the next message, `latency_s` after its end.
  /// @returns that time, if the message has ended already
  std::optional<double> expect(double latency_s);

 private:
  struct Message {
    std::optional<double> ended_s;
    std::optional<double> latency_s;
  };

  Message& message(std::int64_t number);
  void forget_complete();

  std::deque<Message> messages_;
  std::int64_t forgotten_ = 0;  ///< messages before the first of `messages_`
  std::int64_t sent_ = 0;
  std::int64_t expected_ = 0;
};

}  // namespace finegrain
