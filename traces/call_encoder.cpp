// SPDX-License-Identifier: MIT
#include "traces/call_encoder.hpp"

#include <xxhash.h>

#include <algorithm>
#include <utility>

#include "traces/varint.hpp"

namespace finegrain {
namespace {

/// A program whose calls hardly repeat would fill the memory with signatures, so above this number all are
/// forgotten.
constexpr std::size_t most_signature_bytes = std::size_t{4} << 20;

}  // namespace

std::uint32_t CallEncoder::define_function(std::string_view name) {
  const auto known = functions_.find(name);
  if (known != functions_.end()) return known->second;
  const auto number = static_cast<std::uint32_t>(functions_.size());
  functions_.emplace(name, number);
  ++new_functions_;
  append_text(function_bytes_, name);
  return number;
}

std::int32_t CallEncoder::define_communicator(std::uint64_t identity, std::span<const std::int32_t> ranks) {
  ++new_communicators_;
  append_varint(communicator_bytes_, identity);
  append_varint(communicator_bytes_, ranks.size());
  std::int64_t before = -1;
  for (const std::int32_t rank : ranks) {
    append_varint(communicator_bytes_, zigzag(rank - before - 1));
    before = rank;
  }
  return ++communicators_;
}

std::uint32_t CallEncoder::number_of(std::span<const std::byte> signature) {
  const auto is_it = [&](std::uint32_t number) {
    return std::ranges::equal(signatures_[number].signature, signature);
  };
  // The signature that followed the last one before is the most likely.
  if (!signatures_.empty()) {
    const std::uint32_t guess = signatures_[last_].successor;
    if (is_it(guess)) return guess;
  }
  const std::uint64_t hash = XXH3_64bits(signature.data(), signature.size());
  const auto [first, last] = numbers_.equal_range(hash);
  for (auto number = first; number != last; ++number) {
    if (is_it(number->second)) return number->second;
  }
  const auto number = static_cast<std::uint32_t>(signatures_.size());
  signatures_.emplace_back().signature.assign(signature.begin(), signature.end());
  numbers_.emplace(hash, number);
  signature_bytes_ += sizeof(Known) + signature.size();
  ++new_signatures_;
  append_varint(new_signature_bytes_, signature.size());
  new_signature_bytes_.insert(new_signature_bytes_.end(), signature.begin(), signature.end());
  return number;
}

void CallEncoder::add(const CallSignature& signature, std::uint64_t polls, std::int64_t start_ns,
                      std::int64_t end_ns) {
  const std::uint32_t number = number_of(signature.bytes());
  Known& known = signatures_[number];
  signatures_[last_].successor = number;
  last_ = number;
  calls_column_.add(number);
  polls_.add(polls);
  if (tick_.ns != 0) {
    const std::uint64_t start = tick_.count(start_ns);
    const std::uint64_t end = tick_.count(end_ns);
    if (!has_begun_) last_end_ticks_ = start;
    has_begun_ = true;
    if (calls_ == 0) base_ticks_ = last_end_ticks_;
    gaps_.add_signed(known.gap.correct_to(start - last_end_ticks_));
    lengths_.add_signed(known.length.correct_to(end - start));
    last_end_ticks_ = end;
  }
  ++calls_;
  posts_ += signature.posts();
}

void CallEncoder::add_wait_for_core(std::int64_t lost_ns) {
  if (tick_.ns == 0 || lost_ns <= 0) return;
  waits_.add(calls_ - calls_at_wait_);
  waits_.add(static_cast<std::uint64_t>(lost_ns));
  calls_at_wait_ = calls_;
}

std::size_t CallEncoder::size_bytes() const {
  return function_bytes_.size() + communicator_bytes_.size() + new_signature_bytes_.size() +
         calls_column_.size_bytes() + gaps_.size_bytes() + lengths_.size_bytes() + polls_.size_bytes() +
         waits_.size_bytes();
}

ChunkContent CallEncoder::take() {
  std::vector<std::byte> beginning;
  append_signed(beginning, static_cast<std::int64_t>(base_ticks_));
  append_number(beginning, tick_.ns);
  append_varint(beginning, forgets_ ? 1 : 0);
  append_varint(beginning, std::exchange(new_functions_, 0));
  append_varint(beginning, std::exchange(new_communicators_, 0));
  append_varint(beginning, std::exchange(new_signatures_, 0));
  ChunkContent content =
      joined(std::move(beginning), {&function_bytes_, &communicator_bytes_, &new_signature_bytes_},
             {&calls_column_, &gaps_, &lengths_, &polls_, &waits_});
  forgets_ = signature_bytes_ > most_signature_bytes;
  if (forgets_) {
    signatures_.clear();
    numbers_.clear();
    signature_bytes_ = 0;
    last_ = 0;
  }
  calls_ = 0;
  calls_at_wait_ = 0;
  posts_ = 0;
  return content;
}

}  // namespace finegrain
