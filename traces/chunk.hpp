// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <vector>

#include "traces/column.hpp"
#include "traces/interval.hpp"
#include "traces/iteration.hpp"
#include "traces/running_mean.hpp"

namespace finegrain {

/// A message's end, noted when it was seen.
struct MessageEnd {
  std::int32_t message = 0;  ///< index into Iteration::messages
  std::int64_t at_ns = 0;
};

/// What a recorder notes of an iteration beside its shape, on the rank's own clock.
struct IterationTimes {
  Interval iteration;
  std::vector<Interval> phases;         ///< shape [phases]
  std::vector<std::int64_t> starts_ns;  ///< shape [messages]
  std::vector<MessageEnd> completions;  ///< shape [messages], each message once, in the order they ended
};

/// The parts hold bytes of different kinds and compress best apart from one another.
struct ChunkContent {
  std::vector<std::byte> bytes;
  std::vector<std::size_t> part_bytes;  ///< sizes of the parts that `bytes` is made of
};

/// Collects iterations into the content of one chunk (docs/trace-format.md, "Content of a chunk").
class ChunkEncoder {
 public:
  /// @param tick_ns  times are rounded down to multiples of this
  explicit ChunkEncoder(std::int64_t tick_ns = 1) : tick_ns_(tick_ns) {}

  void add(const Iteration& shape, const IterationTimes& times);

  std::size_t size_bytes() const;  ///< of the content so far
  std::uint32_t iterations() const { return iterations_; }
  std::uint64_t messages() const { return messages_; }

  /// The content of the iterations added since the last call; the encoder starts anew.
  ChunkContent take();

 private:
  struct KnownShape {
    Iteration iteration;
    std::uint64_t number = 0;
    std::vector<RunningMean> means;
  };
  KnownShape& know(const Iteration& shape);
  std::uint64_t ticks(std::int64_t time_ns) const;

  std::int64_t tick_ns_;
  std::vector<KnownShape> recent_;
  std::size_t last_used_ = 0;
  std::uint64_t shape_count_ = 0;
  std::uint32_t iterations_ = 0;
  std::uint64_t messages_ = 0;
  std::uint64_t base_ticks_ = 0;
  std::uint64_t last_end_ticks_ = 0;
  std::vector<std::byte> shapes_;
  ColumnWriter phases_, starts_, order_, ends_;
};

/// The content of a chunk does not follow the format.
class ChunkError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Reads a chunk's content, iteration by iteration.
class ChunkDecoder {
 public:
  /// @param ranks  of the run: peers must be below, and sums over so many ranks are kept within 64 bits
  /// @throws ChunkError
  ChunkDecoder(std::vector<std::byte> content, std::int32_t ranks);

  struct Decoded {
    const Iteration* shape;  ///< valid as long as the decoder
    IterationTimes times;
  };
  /// @throws ChunkError where the content ends early or is not consistent
  Decoded next();
  /// Whether nothing is left over.
  bool exhausted() const;
  /// Times are multiples of this.
  std::int64_t tick_ns() const { return static_cast<std::int64_t>(tick_ns_); }

 private:
  struct Shape {
    Iteration iteration;
    std::vector<RunningMean> means;
  };

  std::vector<std::byte> content_;
  std::vector<Shape> shapes_;
  ColumnReader phases_, starts_, order_, ends_;
  std::uint64_t tick_ns_ = 1;
  std::uint64_t last_end_ticks_ = 0;
};

}  // namespace finegrain
