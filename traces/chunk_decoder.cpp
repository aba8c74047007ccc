// SPDX-License-Identifier: MIT
#include "traces/chunk.hpp"
#include "traces/operation_reader.hpp"
#include "traces/take.hpp"

namespace finegrain {

namespace {

Body take_body(std::span<const std::byte>& column, std::span<const RegionName> names, std::int32_t ranks) {
  Body body;
  const std::size_t regions = take_count(column, 2);
  const std::size_t operations = take_count(column, 1);
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
  OperationReader reader(column, body.sizes, ranks);
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
  ContentParts parts(rest, 2 + 4 * planes_of_a_column);
  std::span<const std::byte> texts = parts.take();
  std::vector<RegionName> names;
  for (std::size_t name = 0; name < name_count; ++name)
    names.push_back(take_region_name(texts));
  std::span<const std::byte> shapes = parts.take();
  for (std::size_t shape = 0; shape < shape_count; ++shape) {
    const auto read = std::make_shared<const Shape>(take_body(shapes, names, ranks));
    shapes_.push_back({read, read->new_means()});
  }
  for (ColumnReader* column : {&regions_, &starts_, &order_, &ends_})
    *column = parts.take_column();
  if (!texts.empty() || !shapes.empty()) throw ChunkError("bytes are left over");
  parts.check_end();
}

Decoded ChunkDecoder::next() {
  const std::uint64_t number = take(regions_);
  if (number >= shapes_.size())
    throw ChunkError("an iteration refers to a shape that the chunk does not have");
  auto& [known, means] = shapes_[number];
  const Shape& shape = *known;
  const auto posts = static_cast<std::size_t>(shape.all_posts);
  auto mean = means.begin();
  const auto get = [&](ColumnReader& column) { return (mean++)->corrected_by(take_signed(column)); };
  // As in the encoder, times wrap.
  std::uint64_t ticks = last_end_ticks_;
  const auto advance = [&](ColumnReader& column) {
    ticks += get(column);
    return static_cast<std::int64_t>(ticks * tick_ns_);
  };

  Decoded decoded{known, {}};
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
