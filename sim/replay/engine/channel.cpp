// SPDX-License-Identifier: MIT
#include "sim/replay/engine/channel.hpp"

namespace finegrain::replay {

Channel::Message& Channel::message(std::int64_t number) {
  const auto place = static_cast<std::size_t>(number - forgotten_);
  if (place >= messages_.size()) messages_.resize(place + 1);
  return messages_[place];
}

std::int64_t Channel::send() {
  return sent_++;
}

std::optional<Expectation> Channel::end(std::int64_t number, double now_s) {
  Message& ended = message(number);
  ended.ended_s = now_s;
  ended.has_ended = true;
  if (!ended.is_expected) return std::nullopt;
  const Expectation expectation = ended.expectation;
  forget_complete();
  return expectation;
}

std::optional<double> Channel::expect(const Expectation& expectation) {
  Message& expected = message(expected_++);
  expected.expectation = expectation;
  expected.is_expected = true;
  if (!expected.has_ended) return std::nullopt;
  const double there_s = expected.ended_s + expectation.latency_s;
  forget_complete();
  return there_s;
}

void Channel::forget_complete() {
  while (!messages_.empty() && messages_.front().has_ended && messages_.front().is_expected) {
    messages_.pop_front();
    ++forgotten_;
  }
}

}  // namespace finegrain::replay
