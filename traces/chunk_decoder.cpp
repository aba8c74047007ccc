// SPDX-License-Identifier: MIT
#include <array>
#include <limits>

#include "traces/chunk.hpp"
#include "traces/io/input_error.hpp"
#include "traces/operation_code.hpp"
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

/// A number from 0 on, as most are.
std::int64_t take_number(std::span<const std::byte>& column) {
  const std::uint64_t value = take(column);
  if (value > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
    throw ChunkError("a number is longer than 63 bits");
  return static_cast<std::int64_t>(value);
}

std::int32_t take_name(std::span<const std::byte>& column) {
  const std::int64_t value = take_signed(column);
  if (value != static_cast<std::int32_t>(value))
    throw ChunkError("a tag or communicator is longer than 32 bits");
  return static_cast<std::int32_t>(value);
}

std::byte take_byte(std::span<const std::byte>& column) {
  if (column.empty()) throw ChunkError("an operation is cut");
  const std::byte byte = column.front();
  column = column.subspan(1);
  return byte;
}

std::size_t take_count(std::span<const std::byte>& column, std::size_t least_bytes_each) {
  const std::uint64_t count = take(column);
  if (count > column.size() / least_bytes_each || count > std::numeric_limits<std::int32_t>::max())
    throw ChunkError("more regions or operations than the chunk has room for");
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

RegionName take_region_name(std::span<const std::byte>& column) {
  const std::size_t size = take_count(column, 1);
  const auto bytes = column.first(size);
  column = column.subspan(size);
  try {
    return RegionName({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  } catch (const InputError& error) {
    throw ChunkError(error.what());
  }
}

/// Reads the operations of one iteration, and checks what they add up to.
class OperationReader {
 public:
  OperationReader(std::span<const std::byte>& column, std::int32_t ranks)
      : column_(column),
        ranks_(ranks),
        memory_bytes_(ranks),
        scattered_stores_(ranks),
        copied_bytes_(ranks),
        posts_(ranks),
        post_bytes_(ranks) {}

  Operation take_operation() {
    const std::byte code = take_byte(column_);
    if (code == operation_code::work) return take_work();
    if (code == operation_code::complete) return take_complete();
    if (code == operation_code::collective) {
      if (take_byte(column_) != static_cast<std::byte>(CollectiveKind::barrier))
        throw ChunkError("an unknown kind of collective");
      return Collective{};
    }
    if ((code & operation_code::post) == operation_code::post) return take_post(code);
    throw ChunkError("an unknown kind of operation");
  }

 private:
  Work take_work() {
    Work work;
    memory_bytes_.add(work.memory_bytes = take_number(column_), 1);
    scattered_stores_.add(work.scattered_stores = take_number(column_), 1);
    copied_bytes_.add(work.copied_bytes = take_number(column_), 1);
    return work;
  }

  Complete take_complete() {
    Complete complete;
    complete.oldest = take_number(column_);
    complete.count = take_number(column_);
    if (complete.count > complete.oldest || (complete.oldest > 0 && complete.count == 0))
      throw ChunkError("it completes requests that are not there");
    return complete;
  }

  Post take_post(std::byte code) {
    const auto kind = static_cast<TransferKind>(code & operation_code::kind);
    if ((code & ~operation_code::all_of_a_post) != std::byte{0} || kind > TransferKind::store)
      throw ChunkError("an unknown kind of transfer");
    peer_ += static_cast<std::uint64_t>(take_signed(column_));
    if (peer_ >= static_cast<std::uint64_t>(ranks_))
      throw ChunkError("a transfer's peer is not a rank of the run");
    Post post{.kind = kind,
              .blocking = (code & operation_code::blocking) != std::byte{0},
              .private_memory = (code & operation_code::private_memory) != std::byte{0},
              .peer = static_cast<std::int32_t>(peer_),
              .size_bytes = take_number(column_),
              .repeat = take_number(column_)};
    if (post.repeat < 1) throw ChunkError("a transfer is repeated less than once");
    posts_.add(1, post.repeat);
    post_bytes_.add(post.size_bytes, post.repeat);
    if ((code & operation_code::named) != std::byte{0}) {
      post.tag = take_name(column_);
      post.communicator = take_name(column_);
    }
    return post;
  }

  std::span<const std::byte>& column_;
  std::int32_t ranks_;
  std::uint64_t peer_ = 0;
  Total memory_bytes_, scattered_stores_, copied_bytes_, posts_, post_bytes_;
};

Body take_body(std::span<const std::byte>& column, std::span<const RegionName> names, std::int32_t ranks) {
  Body body;
  const std::size_t regions = take_count(column, 2);
  const std::size_t operations = take_count(column, 2);
  body.regions.reserve(regions);
  std::uint64_t first = 0;
  for (std::size_t r = 0; r < regions; ++r) {
    const std::uint64_t name = take(column);
    if (name >= names.size()) throw ChunkError("a region has a name that the chunk does not have");
    const std::uint64_t count = take(column);
    if (count > operations - first) throw ChunkError("the regions have more operations than the iteration");
    body.regions.push_back({names[name], static_cast<std::int32_t>(first), static_cast<std::int32_t>(count)});
    first += count;
  }
  if (first != operations) throw ChunkError("the regions have fewer operations than the iteration");
  body.operations.reserve(operations);
  OperationReader reader(column, ranks);
  for (std::size_t o = 0; o < operations; ++o)
    body.operations.push_back(reader.take_operation());
  return body;
}

}  // namespace

ChunkDecoder::ChunkDecoder(std::vector<std::byte> content, std::int32_t ranks)
    : content_(std::move(content)) {
  std::span<const std::byte> rest(content_);
  last_end_ticks_ = static_cast<std::uint64_t>(take_signed(rest));
  tick_ns_ = take(rest);
  if (tick_ns_ == 0) throw ChunkError("a tick of the clock lasts no time");
  const std::size_t name_count = take_count(rest, 2);
  const std::size_t shape_count = take_count(rest, 2);
  std::array<std::uint64_t, 2 + 4 * planes_of_a_column> sizes{};
  for (std::uint64_t& size : sizes)
    size = take(rest);
  auto size = sizes.begin();
  const auto take_part = [&] {
    if (*size > rest.size()) throw ChunkError("a part is longer than the chunk");
    const auto part = rest.first(*size);
    rest = rest.subspan(*size++);
    return part;
  };
  std::span<const std::byte> texts = take_part();
  std::vector<RegionName> names;
  for (std::size_t name = 0; name < name_count; ++name)
    names.push_back(take_region_name(texts));
  std::span<const std::byte> shapes = take_part();
  for (std::size_t shape = 0; shape < shape_count; ++shape)
    shapes_.emplace_back(take_body(shapes, names, ranks));
  for (ColumnReader* column : {&regions_, &starts_, &order_, &ends_}) {
    ColumnReader::Planes planes;
    for (auto& plane : planes)
      plane = take_part();
    *column = ColumnReader(planes);
  }
  if (!texts.empty() || !shapes.empty() || !rest.empty()) throw ChunkError("bytes are left over");
}

ChunkDecoder::Decoded ChunkDecoder::next() {
  const std::uint64_t number = take(regions_);
  if (number >= shapes_.size())
    throw ChunkError("an iteration refers to a shape that the chunk does not have");
  Shape& shape = shapes_[number];
  const auto posts = static_cast<std::size_t>(shape.all_posts);
  auto mean = shape.means.begin();
  const auto get = [&](ColumnReader& column) { return (mean++)->corrected_by(take_signed(column)); };
  // As in the encoder, times wrap.
  std::uint64_t ticks = last_end_ticks_;
  const auto advance = [&](ColumnReader& column) {
    ticks += get(column);
    return static_cast<std::int64_t>(ticks * tick_ns_);
  };

  Decoded decoded{&shape, {}};
  IterationTimes& times = decoded.times;
  times.iteration.start_ns = advance(regions_);
  const std::uint64_t start = ticks;
  std::vector<std::uint64_t> region_starts;
  times.regions.resize(shape.posts.size());
  for (Interval& region : times.regions) {
    region.start_ns = advance(regions_);
    region_starts.push_back(ticks);
    region.end_ns = advance(regions_);
  }
  times.iteration.end_ns = advance(regions_);
  last_end_ticks_ = ticks;

  times.starts_ns.reserve(posts);
  for (std::size_t r = 0; r < times.regions.size(); ++r) {
    ticks = region_starts[r];
    for (std::int32_t post = 0; post < shape.posts[r]; ++post)
      times.starts_ns.push_back(advance(starts_));
  }

  std::vector<bool> ended(posts, false);
  ticks = start;
  times.ends.reserve(posts);
  std::uint64_t post = 0;
  for (std::size_t end = 0; end < posts; ++end, ++post) {
    post += static_cast<std::uint64_t>(take_signed(order_));
    if (post >= posts || ended[post]) throw ChunkError("a transfer ends twice or does not exist");
    ended[post] = true;
    times.ends.push_back({static_cast<std::int32_t>(post), advance(ends_)});
  }
  return decoded;
}

bool ChunkDecoder::exhausted() const {
  return regions_.empty() && starts_.empty() && order_.empty() && ends_.empty();
}

}  // namespace finegrain
