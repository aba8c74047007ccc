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

/// Differences of times wrap instead of overflowing, so any two clock values survive the round trip.
std::uint64_t bits(std::int64_t time_ns) {
  return static_cast<std::uint64_t>(time_ns);
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

void ChunkEncoder::add(const Iteration& shape, const IterationTimes& times) {
  KnownShape& known = know(shape);
  const std::uint64_t start_ns = bits(times.iteration.start_ns);
  if (iterations_ == 0) base_ns_ = last_end_ns_ = start_ns;
  auto mean = known.means.begin();
  const auto put = [&](ColumnWriter& column, std::uint64_t value) {
    column.add_signed((mean++)->correct_to(value));
  };

  phases_.add(known.number);
  put(phases_, start_ns - last_end_ns_);
  std::uint64_t before_ns = start_ns;
  for (const Interval& phase : times.phases) {
    put(phases_, bits(phase.start_ns) - before_ns);
    put(phases_, bits(phase.end_ns) - bits(phase.start_ns));
    before_ns = bits(phase.end_ns);
  }
  put(phases_, bits(times.iteration.end_ns) - before_ns);

  auto start = times.starts_ns.begin();
  for (std::size_t p = 0; p < shape.phases.size(); ++p) {
    before_ns = bits(times.phases[p].start_ns);
    for (std::int32_t m = 0; m < shape.phases[p].message_count; ++m, ++start) {
      put(starts_, bits(*start) - before_ns);
      before_ns = bits(*start);
    }
  }

  before_ns = start_ns;
  std::int64_t expected = 0;
  for (const MessageEnd& completion : times.completions) {
    order_.add_signed(completion.message - expected);
    put(ends_, bits(completion.at_ns) - before_ns);
    expected = completion.message + 1;
    before_ns = bits(completion.at_ns);
  }

  last_end_ns_ = bits(times.iteration.end_ns);
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
  append_signed(content.bytes, static_cast<std::int64_t>(base_ns_));
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
