// SPDX-License-Identifier: MIT
#include <algorithm>

#include "traces/chunk.hpp"
#include "traces/varint.hpp"

namespace finegrain {
namespace {

/// A program alternates among a few shapes at most; looking further back would cost more than writing one
/// again.
constexpr std::size_t shapes_looked_back = 8;

void append_signed(std::vector<std::byte>& out, std::int64_t value) {
  append_varint(out, zigzag(value));
}

void append_shape(std::vector<std::byte>& out, const Iteration& shape) {
  append_varint(out, shape.phases.size());
  append_varint(out, shape.messages.size());
  for (const Phase& phase : shape.phases) {
    out.push_back(static_cast<std::byte>(phase.kind));
    append_signed(out, phase.memory_bytes);
    append_varint(out, static_cast<std::uint64_t>(phase.message_count));
  }
  std::int64_t previous_peer = 0;
  for (const Message& message : shape.messages) {
    out.push_back(static_cast<std::byte>(message.kind));
    append_signed(out, message.peer - previous_peer);
    append_signed(out, message.size_bytes);
    append_signed(out, message.repeat);
    previous_peer = message.peer;
  }
}

}  // namespace

ChunkEncoder::KnownShape& ChunkEncoder::know(const Iteration& shape) {
  if (last_used_ < recent_.size() && recent_[last_used_].iteration == shape) return recent_[last_used_];
  const auto found = std::find_if(recent_.begin(), recent_.end(),
                                  [&](const auto& known) { return known.iteration == shape; });
  last_used_ = static_cast<std::size_t>(found - recent_.begin());
  if (found != recent_.end()) return *found;

  if (recent_.size() == shapes_looked_back) last_used_ = shape_count_ % shapes_looked_back;
  if (last_used_ == recent_.size()) recent_.emplace_back();
  KnownShape& known = recent_[last_used_];
  known.iteration = shape;
  known.number = shape_count_++;
  known.means.assign(means_of(shape), {});
  append_shape(shapes_, shape);
  return known;
}

/// Differences of ticks wrap instead of overflowing, so any two clock values survive the round trip.
std::uint64_t ChunkEncoder::ticks(std::int64_t time_ns) const {
  const std::int64_t towards_zero = time_ns / tick_ns_;
  return static_cast<std::uint64_t>(towards_zero - (time_ns % tick_ns_ < 0 ? 1 : 0));
}

void ChunkEncoder::add(const Iteration& shape, const IterationTimes& times) {
  KnownShape& known = know(shape);
  const std::uint64_t start = ticks(times.iteration.start_ns);
  if (iterations_ == 0) base_ticks_ = last_end_ticks_ = start;
  auto mean = known.means.begin();
  const auto put = [&](ColumnWriter& column, std::uint64_t value) {
    column.add_signed((mean++)->correct_to(value));
  };

  phases_.add(known.number);
  put(phases_, start - last_end_ticks_);
  std::uint64_t before = start;
  for (const Interval& phase : times.phases) {
    put(phases_, ticks(phase.start_ns) - before);
    put(phases_, ticks(phase.end_ns) - ticks(phase.start_ns));
    before = ticks(phase.end_ns);
  }
  last_end_ticks_ = ticks(times.iteration.end_ns);
  put(phases_, last_end_ticks_ - before);

  auto posted_ns = times.starts_ns.begin();
  for (std::size_t p = 0; p < shape.phases.size(); ++p) {
    before = ticks(times.phases[p].start_ns);
    for (std::int32_t m = 0; m < shape.phases[p].message_count; ++m, ++posted_ns) {
      put(starts_, ticks(*posted_ns) - before);
      before = ticks(*posted_ns);
    }
  }

  before = start;
  std::int64_t expected = 0;
  for (const MessageEnd& completion : times.completions) {
    order_.add_signed(completion.message - expected);
    put(ends_, ticks(completion.at_ns) - before);
    expected = completion.message + 1;
    before = ticks(completion.at_ns);
  }

  ++iterations_;
  messages_ += shape.messages.size();
}

std::size_t ChunkEncoder::size_bytes() const {
  return shapes_.size() + phases_.size_bytes() + starts_.size_bytes() + order_.size_bytes() +
         ends_.size_bytes();
}

ChunkContent ChunkEncoder::take() {
  std::vector<std::vector<std::byte>*> parts{&shapes_};
  for (ColumnWriter* column : {&phases_, &starts_, &order_, &ends_}) {
    for (std::vector<std::byte>& plane : column->planes())
      parts.push_back(&plane);
  }
  ChunkContent content;
  content.bytes.reserve(size_bytes() + 256);
  append_signed(content.bytes, static_cast<std::int64_t>(base_ticks_));
  append_varint(content.bytes, static_cast<std::uint64_t>(tick_ns_));
  append_varint(content.bytes, shape_count_);
  for (const std::vector<std::byte>* part : parts)
    append_varint(content.bytes, part->size());
  content.part_bytes.push_back(content.bytes.size());
  for (std::vector<std::byte>* part : parts) {
    content.bytes.insert(content.bytes.end(), part->begin(), part->end());
    content.part_bytes.push_back(part->size());
    part->clear();
  }
  recent_.clear();
  last_used_ = 0;
  shape_count_ = 0;
  iterations_ = 0;
  messages_ = 0;
  return content;
}

}  // namespace finegrain
