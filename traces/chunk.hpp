// SPDX-License-Identifier: MIT
#pragma once

#include <boost/container/small_vector.hpp>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "traces/column.hpp"
#include "traces/interval.hpp"
#include "traces/operation.hpp"
#include "traces/rank_file.hpp"
#include "traces/running_mean.hpp"
#include "traces/take.hpp"

namespace finegrain {

/// A transfer's end, noted when it was seen.
struct PostEnd {
  std::int32_t post = 0;  ///< counted from 0 among the posts of the iteration
  std::int64_t at_ns = 0;
};

/// What a recorder notes of an iteration beside its shape, on the rank's own clock.
struct IterationTimes {
  Interval iteration;
  std::vector<Interval> regions;
  std::vector<std::int64_t> starts_ns;  ///< shape [posts]
  std::vector<PostEnd> ends;            ///< shape [posts], each post once, in the order they ended
};

/// The shape of an iteration: what the rank did, times aside.
struct Shape {
  explicit Shape(Body body);

  Body body;
  boost::container::small_vector<std::int32_t, 2> posts;  ///< how many each region has
  std::int32_t all_posts = 0;
  std::int64_t requests = 0;          ///< that the posts make
  std::int64_t earlier_requests = 0;  ///< that the iteration needs to have been made before it

  /// Means of the iteration's gap and rest, each region's gap and length, each post's start and end.
  std::vector<RunningMean> new_means() const;
};

/// Collects iterations into the content of one chunk (docs/trace-format.md, "Content of a chunk").
class ChunkEncoder {
 public:
  static constexpr ChunkKind chunk_kind = ChunkKind::iterations;
  /// Times hardly repeat: higher levels cost more and gain nothing (tests/traces/compactness_test.cpp).
  static constexpr int compression_level = 1;
  static constexpr std::uint32_t looks_at_size_every = 1;  ///< iteration

  /// @param tick_ns  times are rounded down to multiples of this
  explicit ChunkEncoder(std::int64_t tick_ns = 1) : tick_{tick_ns} {}

  void add(const Body& body, const IterationTimes& times);

  std::size_t size_bytes() const;                      ///< the content's size so far
  std::uint32_t count() const { return iterations_; }  ///< iterations so far
  std::uint64_t posts() const { return posts_; }

  /// The content of the iterations added since the last call; the encoder starts anew.
  ChunkContent take();

 private:
  struct KnownShape {
    Shape shape;
    std::vector<RunningMean> means;
    std::uint64_t number = 0;
  };
  KnownShape& know(const Body& body);
  void append_shape(const Body& body);

  Tick tick_;
  std::vector<KnownShape> recent_;
  std::size_t last_used_ = 0;
  std::uint64_t shape_count_ = 0;
  std::uint32_t iterations_ = 0;
  std::uint64_t posts_ = 0;
  std::uint64_t base_ticks_ = 0;
  std::uint64_t last_end_ticks_ = 0;
  std::map<RegionName, std::uint64_t> names_;  ///< by their number in the chunk
  std::vector<std::byte> name_texts_;
  std::vector<std::byte> shapes_;
  ColumnWriter regions_, starts_, order_, ends_;
};

/// An iteration, or a call, as it is read.
struct Decoded {
  std::shared_ptr<const Shape> shape;  ///< the same object for many that are alike
  IterationTimes times;
  std::uint64_t calls = 1;   ///< in a row that found nothing, of polls
  std::int64_t lost_ns = 0;  ///< the part of the timed work's time in which the rank waited for a core
  std::uint32_t thread = 0;  ///< that made the call; 0: the main one
};

/// Reads a chunk's content, iteration by iteration.
class ChunkDecoder {
 public:
  /// @param ranks  the run's: peers must be below, and sums over so many ranks are kept within 64 bits
  /// @throws ChunkError
  ChunkDecoder(std::vector<std::byte> content, std::int32_t ranks);

  /// @throws ChunkError where the content ends early or is not consistent
  Decoded next();
  /// Whether nothing is left over.
  bool exhausted() const;
  /// Times are multiples of this.
  std::int64_t tick_ns() const { return static_cast<std::int64_t>(tick_ns_); }

 private:
  std::vector<std::byte> content_;
  struct KnownShape {
    std::shared_ptr<const Shape> shape;
    std::vector<RunningMean> means;
  };
  std::vector<KnownShape> shapes_;
  ColumnReader regions_, starts_, order_, ends_;
  std::uint64_t tick_ns_ = 1;
  std::uint64_t last_end_ticks_ = 0;
};

}  // namespace finegrain
