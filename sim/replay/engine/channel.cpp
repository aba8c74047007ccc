// SPDX-License-Identifier: MIT
#include "sim/replay/engine/channel.hpp"

#include <utility>

namespace finegrain::replay {

Channel::Message& Channel::message(std::int64_t number) {
  const auto place = static_cast<std::size_t>(number - forgotten_);
  if (place >= messages_.size()) messages_.resize(place + 1);
  return messages_[place];
}

std::int64_t Channel::send(const Partner& sender) {
  message(sent_).sender = sender;
  return sent_++;
}

std::optional<Offer> Channel::offer(const Offer& offer) {
  Message& offered = message(sent_);
  Offer numbered = offer;
  numbered.message = sent_++;
  offered.sender = offer.partner;
  if (offered.is_expected) return numbered;
  offered.offer = std::make_unique<Offer>(numbered);
  return std::nullopt;
}

std::optional<Offer> Channel::take_offer() {
  const std::unique_ptr<Offer> offer = std::move(message(expected_ - 1).offer);
  return offer == nullptr ? std::nullopt : std::optional(*offer);
}

const Offer* Channel::waiting_offer() const {
  for (const Message& message : messages_)
    if (message.offer != nullptr) return message.offer.get();
  return nullptr;
}

std::optional<Expectation> Channel::end(std::int64_t number, const Completion& at) {
  Message& ended = message(number);
  ended.ended = at;
  ended.has_ended = true;
  if (!ended.is_expected) return std::nullopt;
  Expectation expectation = ended.expectation;
  expectation.sender = ended.sender;
  forget_complete();
  return expectation;
}

std::optional<Arrival> Channel::expect(const Expectation& expectation) {
  Message& expected = message(expected_++);
  expected.expectation = expectation;
  expected.is_expected = true;
  if (!expected.has_ended) return std::nullopt;
  const Arrival arrival{expected.ended.later_by(expectation.latency_s), expected.sender};
  forget_complete();
  return arrival;
}

void Channel::forget_complete() {
  while (complete_ < messages_.size() && messages_[complete_].has_ended && messages_[complete_].is_expected)
    ++complete_;
  if (2 * complete_ < messages_.size()) return;
  forgotten_ += static_cast<std::int64_t>(complete_);
  if (complete_ < messages_.size()) {
    messages_.erase(messages_.begin(), messages_.begin() + static_cast<std::ptrdiff_t>(complete_));
  } else if (complete_ == 1) {
    messages_.clear();
  } else {
    messages_ = Messages();  // there may be a million connections
  }
  complete_ = 0;
}

}  // namespace finegrain::replay
