// SPDX-License-Identifier: MIT
#include <array>
#include <limits>

#include "traces/chunk.hpp"
#include "traces/varint.hpp"

namespace finegrain {
namespace {

std::uint64_t take(std::span<const std::byte>& column) {
  std::uint64_t value = 0;
  if (!take_varint(column, value)) throw ChunkError("a number is cut or longer than 64 bits");
  return value;
}

std::uint64_t take(ColumnReader& column) {
  std::uint64_t value = 0;
  if (!column.take(value)) throw ChunkError("a number is cut or longer than 64 bits");
  return value;
}

std::int64_t take_signed(ColumnReader& column) {
  return unzigzag(take(column));
}

std::int64_t take_signed(std::span<const std::byte>& column) {
  return unzigzag(take(column));
}

template <typename Kind>
Kind take_kind(std::span<const std::byte>& column, Kind last) {
  if (column.empty() || column.front() > static_cast<std::byte>(last))
    throw ChunkError("an unknown kind of phase or message");
  const auto kind = static_cast<Kind>(column.front());
  column = column.subspan(1);
  return kind;
}

std::int64_t take_at_least(std::int64_t least, std::span<const std::byte>& column, const char* problem) {
  const std::int64_t value = take_signed(column);
  if (value < least) throw ChunkError(problem);
  return value;
}

std::size_t take_count(std::span<const std::byte>& column, std::size_t least_bytes_each) {
  const std::uint64_t count = take(column);
  if (count > column.size() / least_bytes_each || count > std::numeric_limits<std::int32_t>::max())
    throw ChunkError("more phases or messages than the chunk has room for");
  return count;
}

/// Sums of one rank's iteration. They stay so small that the sums over all ranks fit 64 bits too, so that
/// nobody who adds up an iteration that was read has to check again.
class Total {
 public:
  explicit Total(std::int32_t ranks) : most_(std::numeric_limits<std::int64_t>::max() / ranks) {}
  void add(std::int64_t each, std::int64_t times) {
    std::int64_t added = 0;
    if (__builtin_mul_overflow(each, times, &added) || added > most_ - sum_)
      throw ChunkError("an iteration moves more bytes or messages than can be counted");
    sum_ += added;
  }

 private:
  std::int64_t most_;
  std::int64_t sum_ = 0;
};

Iteration take_shape(std::span<const std::byte>& column, std::int32_t ranks) {
  Iteration shape;
  Total memory_bytes(ranks);
  Total messages(ranks);
  Total message_bytes(ranks);
  shape.phases.resize(take_count(column, 3));
  shape.messages.resize(take_count(column, 4));
  std::uint64_t first_message = 0;
  for (Phase& phase : shape.phases) {
    phase.kind = take_kind(column, PhaseKind::barrier);
    phase.memory_bytes = take_at_least(0, column, "a phase moves a negative number of bytes");
    memory_bytes.add(phase.memory_bytes, 1);
    const std::uint64_t count = take(column);
    if (count > shape.messages.size() - first_message)
      throw ChunkError("the phases have more messages than the iteration");
    phase.first_message = static_cast<std::int32_t>(first_message);
    phase.message_count = static_cast<std::int32_t>(count);
    first_message += count;
  }
  if (first_message != shape.messages.size())
    throw ChunkError("the phases have fewer messages than the iteration");
  std::uint64_t peer = 0;
  for (Message& message : shape.messages) {
    message.kind = take_kind(column, MessageKind::receive);
    peer += static_cast<std::uint64_t>(take_signed(column));
    if (peer >= static_cast<std::uint64_t>(ranks))
      throw ChunkError("a message's peer is not a rank of the run");
    message.peer = static_cast<std::int32_t>(peer);
    message.size_bytes = take_at_least(0, column, "a message has a negative size");
    message.repeat = take_at_least(1, column, "a message is repeated less than once");
    messages.add(1, message.repeat);
    message_bytes.add(message.size_bytes, message.repeat);
  }
  return shape;
}

}  // namespace

ChunkDecoder::ChunkDecoder(std::vector<std::byte> content, std::int32_t ranks)
    : content_(std::move(content)) {
  std::span<const std::byte> rest(content_);
  last_end_ticks_ = static_cast<std::uint64_t>(take_signed(rest));
  tick_ns_ = take(rest);
  if (tick_ns_ == 0) throw ChunkError("a tick of the clock lasts no time");
  shapes_.resize(take_count(rest, 2));
  std::array<std::uint64_t, 1 + 4 * planes_of_a_column> sizes{};
  for (std::uint64_t& size : sizes)
    size = take(rest);
  auto size = sizes.begin();
  const auto take_part = [&] {
    if (*size > rest.size()) throw ChunkError("a part is longer than the chunk");
    const auto part = rest.first(*size);
    rest = rest.subspan(*size++);
    return part;
  };
  std::span<const std::byte> shapes = take_part();
  for (Shape& shape : shapes_) {
    shape.iteration = take_shape(shapes, ranks);
    shape.means.assign(means_of(shape.iteration), {});
  }
  for (ColumnReader* column : {&phases_, &starts_, &order_, &ends_}) {
    ColumnReader::Planes planes;
    for (auto& plane : planes)
      plane = take_part();
    *column = ColumnReader(planes);
  }
  if (!shapes.empty() || !rest.empty()) throw ChunkError("bytes are left over");
}

ChunkDecoder::Decoded ChunkDecoder::next() {
  const std::uint64_t number = take(phases_);
  if (number >= shapes_.size())
    throw ChunkError("an iteration refers to a shape that the chunk does not have");
  Shape& shape = shapes_[number];
  const std::size_t messages = shape.iteration.messages.size();
  auto mean = shape.means.begin();
  const auto get = [&](ColumnReader& column) { return (mean++)->corrected_by(take_signed(column)); };
  // As in the encoder, times wrap.
  std::uint64_t ticks = last_end_ticks_;
  const auto advance = [&](ColumnReader& column) {
    ticks += get(column);
    return static_cast<std::int64_t>(ticks * tick_ns_);
  };

  Decoded decoded{&shape.iteration, {}};
  IterationTimes& times = decoded.times;
  times.iteration.start_ns = advance(phases_);
  const std::uint64_t start = ticks;
  std::vector<std::uint64_t> phase_starts;
  times.phases.resize(shape.iteration.phases.size());
  for (Interval& phase : times.phases) {
    phase.start_ns = advance(phases_);
    phase_starts.push_back(ticks);
    phase.end_ns = advance(phases_);
  }
  times.iteration.end_ns = advance(phases_);
  last_end_ticks_ = ticks;

  times.starts_ns.reserve(messages);
  for (std::size_t p = 0; p < times.phases.size(); ++p) {
    ticks = phase_starts[p];
    for (std::int32_t m = 0; m < shape.iteration.phases[p].message_count; ++m)
      times.starts_ns.push_back(advance(starts_));
  }

  std::vector<bool> complete(messages, false);
  ticks = start;
  times.completions.reserve(messages);
  std::uint64_t message = 0;
  for (std::size_t m = 0; m < messages; ++m, ++message) {
    message += static_cast<std::uint64_t>(take_signed(order_));
    if (message >= messages || complete[message]) throw ChunkError("a message ends twice or does not exist");
    complete[message] = true;
    times.completions.push_back({static_cast<std::int32_t>(message), advance(ends_)});
  }
  return decoded;
}

bool ChunkDecoder::exhausted() const {
  return phases_.empty() && starts_.empty() && order_.empty() && ends_.empty();
}

}  // namespace finegrain
