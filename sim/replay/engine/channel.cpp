// SPDX-License-Identifier: MIT
#include "sim/replay/engine/channel.hpp"

#include <iterator>
#include <utility>

namespace finegrain::replay {

MessagePool::Messages* MessagePool::take() {
  if (free_.empty()) return &messages_.emplace_back();
  Messages* const messages = free_.back();
  free_.pop_back();
  return messages;
}

void MessagePool::put(Messages* messages) {
  // What was many keeps no memory.
  if (messages->all.size() > 1) messages->all = decltype(messages->all)();
  messages->all.clear();
  messages->complete = 0;
  free_.push_back(messages);
}

Message& Channel::message(std::int64_t number, MessagePool& pool) {
  if (messages_ == nullptr) messages_ = pool.take();
  const auto place = static_cast<std::size_t>(number - forgotten_);
  if (place >= messages_->all.size()) messages_->all.resize(place + 1);
  return messages_->all[place];
}

std::int64_t Channel::send(const Partner& sender, MessagePool& pool) {
  message(sent_, pool).sender = sender;
  return sent_++;
}

std::optional<Offer> Channel::offer(const Offer& offer, MessagePool& pool) {
  Message& offered = message(sent_, pool);
  Offer numbered = offer;
  numbered.message = sent_++;
  offered.sender = offer.partner;
  if (offered.is_expected) return numbered;
  offered.offer = std::make_unique<Offer>(numbered);
  return std::nullopt;
}

std::optional<Offer> Channel::take_offer() {
  const std::int64_t place = expected_ - 1 - forgotten_;
  if (messages_ == nullptr || place < 0 || place >= std::ssize(messages_->all)) return std::nullopt;
  const std::unique_ptr<Offer> offer = std::move(messages_->all[static_cast<std::size_t>(place)].offer);
  return offer == nullptr ? std::nullopt : std::optional(*offer);
}

const Offer* Channel::waiting_offer() const {
  if (messages_ == nullptr) return nullptr;
  for (const Message& message : messages_->all)
    if (message.offer != nullptr) return message.offer.get();
  return nullptr;
}

std::optional<Expectation> Channel::end(std::int64_t number, const Completion& at, MessagePool& pool) {
  Message& ended = message(number, pool);
  ended.ended = at;
  ended.has_ended = true;
  if (!ended.is_expected) return std::nullopt;
  Expectation expectation = ended.expectation;
  expectation.sender = ended.sender;
  forget_complete(pool);
  return expectation;
}

std::optional<Arrival> Channel::expect(const Expectation& expectation, MessagePool& pool) {
  Message& expected = message(expected_++, pool);
  expected.expectation = expectation;
  expected.is_expected = true;
  if (!expected.has_ended) return std::nullopt;
  const Arrival arrival{expected.ended.later_by(expectation.latency_s), expected.sender};
  forget_complete(pool);
  return arrival;
}

void Channel::forget_complete(MessagePool& pool) {
  auto& [all, complete] = *messages_;
  while (complete < all.size() && all[complete].has_ended && all[complete].is_expected)
    ++complete;
  if (2 * complete < all.size()) return;
  forgotten_ += static_cast<std::int64_t>(complete);
  if (complete == all.size()) {
    pool.put(std::exchange(messages_, nullptr));
    return;
  }
  all.erase(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(complete));
  complete = 0;
}

}  // namespace finegrain::replay
