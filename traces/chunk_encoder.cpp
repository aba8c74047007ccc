// SPDX-License-Identifier: MIT
#include <algorithm>
#include <utility>

#include "traces/chunk.hpp"
#include "traces/operation_writer.hpp"
#include "traces/varint.hpp"

namespace finegrain {
namespace {

/// A program alternates among a few shapes at most; looking further back would cost more than writing one
/// again.
constexpr std::size_t shapes_looked_back = 8;

}  // namespace

Shape::Shape(Body shape) : body(std::move(shape)) {
  for (const Region& region : body.regions)
    all_posts += posts.emplace_back(static_cast<std::int32_t>(count_posts(body.operations_of(region))));
  for (const Operation& operation : body.operations) {
    if (makes_request(operation)) {
      ++requests;
    } else if (const auto* complete = std::get_if<Complete>(&operation)) {
      earlier_requests = std::max(earlier_requests, complete->oldest - requests);
    }
  }
}

std::vector<RunningMean> Shape::new_means() const {
  return std::vector<RunningMean>(2 + 2 * body.regions.size() + 2 * static_cast<std::size_t>(all_posts));
}

void ChunkEncoder::append_shape(const Body& body) {
  append_varint(shapes_, body.regions.size());
  append_varint(shapes_, body.operations.size());
  for (const Region& region : body.regions) {
    const auto [known, is_new] = names_.try_emplace(region.name, names_.size());
    if (is_new) append_text(name_texts_, region.name.text());
    append_varint(shapes_, known->second);
    append_number(shapes_, region.operation_count);
  }
  OperationWriter writer(shapes_);
  for (const Operation& operation : body.operations)
    writer.write(operation, body.sizes);
}

ChunkEncoder::KnownShape& ChunkEncoder::know(const Body& body) {
  if (last_used_ < recent_.size() && recent_[last_used_].shape.body == body) return recent_[last_used_];
  const auto found =
      std::ranges::find_if(recent_, [&](const KnownShape& known) { return known.shape.body == body; });
  last_used_ = static_cast<std::size_t>(found - recent_.begin());
  if (found != recent_.end()) return *found;

  Shape shape(body);
  KnownShape known{shape, shape.new_means(), shape_count_};
  if (recent_.size() == shapes_looked_back) {
    last_used_ = shape_count_ % shapes_looked_back;
    recent_[last_used_] = std::move(known);
  } else {
    recent_.push_back(std::move(known));
  }
  ++shape_count_;
  append_shape(body);
  return recent_[last_used_];
}

void ChunkEncoder::add(const Body& body, const IterationTimes& times) {
  auto& [shape, means, number] = know(body);
  const auto ticks = [this](std::int64_t time_ns) { return tick_.count(time_ns); };
  const std::uint64_t start = ticks(times.iteration.start_ns);
  if (iterations_ == 0) base_ticks_ = last_end_ticks_ = start;
  auto mean = means.begin();
  const auto put = [&](ColumnWriter& column, std::uint64_t value) {
    column.add_signed((mean++)->correct_to(value));
  };

  regions_.add(number);
  put(regions_, start - last_end_ticks_);
  std::uint64_t before = start;
  for (const Interval& region : times.regions) {
    put(regions_, ticks(region.start_ns) - before);
    put(regions_, ticks(region.end_ns) - ticks(region.start_ns));
    before = ticks(region.end_ns);
  }
  last_end_ticks_ = ticks(times.iteration.end_ns);
  put(regions_, last_end_ticks_ - before);

  auto posted_ns = times.starts_ns.begin();
  for (std::size_t r = 0; r < shape.posts.size(); ++r) {
    before = ticks(times.regions[r].start_ns);
    for (std::int32_t post = 0; post < shape.posts[r]; ++post, ++posted_ns) {
      put(starts_, ticks(*posted_ns) - before);
      before = ticks(*posted_ns);
    }
  }

  before = start;
  std::int64_t expected = 0;
  for (const PostEnd& end : times.ends) {
    order_.add_signed(end.post - expected);
    put(ends_, ticks(end.at_ns) - before);
    expected = end.post + 1;
    before = ticks(end.at_ns);
  }

  ++iterations_;
  posts_ += static_cast<std::uint64_t>(shape.all_posts);
}

std::size_t ChunkEncoder::size_bytes() const {
  return name_texts_.size() + shapes_.size() + regions_.size_bytes() + starts_.size_bytes() +
         order_.size_bytes() + ends_.size_bytes();
}

ChunkContent ChunkEncoder::take() {
  std::vector<std::byte> beginning;
  append_signed(beginning, static_cast<std::int64_t>(base_ticks_));
  append_number(beginning, tick_.ns);
  append_varint(beginning, names_.size());
  append_varint(beginning, shape_count_);
  ChunkContent content =
      joined(std::move(beginning), {&name_texts_, &shapes_}, {&regions_, &starts_, &order_, &ends_});
  names_.clear();
  recent_.clear();
  last_used_ = 0;
  shape_count_ = 0;
  iterations_ = 0;
  posts_ = 0;
  return content;
}

}  // namespace finegrain
