// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "traces/operation.hpp"

namespace finegrain::formats {

/// The tag of a receive of any tag, while it is not known which it took.
inline constexpr std::int32_t unknown_tag = std::numeric_limits<std::int32_t>::min();

/// For a receive of which only its posting is known, until it is known which message it took.
inline constexpr std::int32_t unknown_communicator = -1;
inline constexpr std::int64_t unknown_size = -1;

/// Whether it is a receive for which it is not known yet which message it took.
constexpr bool is_unknown(const Post& post) {
  return post.kind == TransferKind::receive && (post.peer < 0 || post.tag == unknown_tag);
}

/// Whether it represents a receive that never took a message. A trace contains such receives, because their
/// requests count.
constexpr bool is_nothing(const Post& post, std::int32_t rank) {
  return post.kind == TransferKind::put && post.peer == rank && post.size_bytes == 0;
}

/// One call of an imported program.
struct ImportedCall {
  RegionName function;
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;
  std::size_t first_operation = 0;
  std::uint32_t thread = 0;  ///< 0: the main one
};

/// What one rank of an imported program does, in its order, on its own clock.
struct RankCalls {
  std::vector<ImportedCall> calls;
  /// Those of all calls. A receive of any source or tag has those that it took; while these are not known,
  /// the peer is -1, and the tag unknown_tag. Communicators are numbers in the trace (formats::Communicator).
  std::vector<Operation> operations;
  std::vector<std::int64_t> sizes;  ///< those of its collectives
  std::int64_t requests = 0;        ///< made so far

  /// The next call; operations that are added from now on are its.
  void begin(RegionName function, std::int64_t start_ns);
  void end(std::int64_t end_ns) { calls.back().end_ns = end_ns; }
  /// @returns the number of the request that it makes, from 1 on, or 0 if it makes none
  std::int64_t add(const Operation& operation);
  std::int64_t add(Collective collective, std::span<const std::int64_t> bytes);
  /// Completes requests by their numbers, those that follow each other at once.
  void complete(std::vector<std::int64_t> numbers);

  std::span<const Operation> operations_of(std::size_t call) const;
};

}  // namespace finegrain::formats
