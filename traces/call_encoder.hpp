// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "traces/call_signature.hpp"
#include "traces/column.hpp"
#include "traces/rank_file.hpp"
#include "traces/running_mean.hpp"

namespace finegrain {

/// Collects calls into the content of one chunk after the other (docs/trace-format.md, "Content of a chunk of
/// calls"). Functions, communicators and signatures that a chunk has defined are known in the next ones.
class CallEncoder {
 public:
  static constexpr ChunkKind chunk_kind = ChunkKind::calls;
  /// Searching for repeated calls pays off; searching in their times does not, but costs little.
  static constexpr int compression_level = 3;
  static constexpr std::uint32_t looks_at_size_every = 64;  ///< calls

  /// @param tick_ns  times are rounded down to multiples of this; 0: none are kept
  explicit CallEncoder(std::int64_t tick_ns) : tick_{tick_ns} {}

  std::uint32_t define_function(std::string_view name);
  std::int32_t define_communicator(std::uint64_t identity, std::span<const std::int32_t> ranks);
  /// @param polls  0, or how many calls in a row this is that found nothing
  void add(const CallSignature& signature, std::uint64_t polls, std::int64_t start_ns, std::int64_t end_ns);
  /// The wait in the work before the call that is added next.
  void add_wait_for_core(std::int64_t lost_ns);

  std::size_t size_bytes() const;                 ///< the content's size so far
  std::uint32_t count() const { return calls_; }  ///< calls so far
  std::uint64_t posts() const { return posts_; }

  /// The content of the calls added since the last take.
  ChunkContent take();

 private:
  struct Known {
    std::vector<std::byte> signature;
    RunningMean gap;
    RunningMean length;
    std::uint32_t successor = 0;  ///< the signature that came after it the last time
  };
  std::uint32_t number_of(std::span<const std::byte> signature);

  Tick tick_;
  std::map<std::string, std::uint32_t, std::less<>> functions_;
  std::int32_t communicators_ = 0;
  std::vector<Known> signatures_;
  std::unordered_multimap<std::uint64_t, std::uint32_t> numbers_;  ///< signatures' numbers, by their hashes
  std::size_t signature_bytes_ = 0;
  std::uint32_t last_ = 0;  ///< signature
  bool has_begun_ = false;
  std::uint64_t last_end_ticks_ = 0;

  // The chunk.
  bool forgets_ = false;  ///< signatures are numbered from 0 again
  std::uint32_t calls_ = 0;
  std::uint64_t posts_ = 0;
  std::uint32_t calls_at_wait_ = 0;
  std::uint64_t base_ticks_ = 0;
  std::uint64_t new_functions_ = 0, new_communicators_ = 0, new_signatures_ = 0;
  std::vector<std::byte> function_bytes_, communicator_bytes_, new_signature_bytes_;
  ColumnWriter calls_column_, gaps_, lengths_, polls_, waits_;
};

}  // namespace finegrain
