// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include "sim/collectives/algorithm.hpp"

namespace finegrain::collectives {

/// A rank's number when they are counted from the root on, and back.
constexpr int from_root(const Call& call, int rank) {
  return (rank - call.root + call.ranks) % call.ranks;
}
constexpr int to_rank(const Call& call, int number) {
  return (number + call.root) % call.ranks;
}
/// The rank that is `steps` places further on a ring; steps may be negative.
constexpr int neighbor(const Call& call, std::int64_t steps) {
  return static_cast<int>(((call.rank + steps) % call.ranks + call.ranks) % call.ranks);
}

constexpr std::int64_t elements(const Call& call) {
  return call.element_bytes > 0 ? call.size_bytes / call.element_bytes : 0;
}

/// Bytes of one rank's block: sizes differ from rank to rank, or are all the same.
constexpr std::int64_t block_bytes(const Call& call, int rank) {
  return call.sizes.empty() ? call.size_bytes : call.sizes[static_cast<std::size_t>(rank)];
}
/// Bytes of the blocks [first, end).
constexpr std::int64_t blocks_bytes(const Call& call, int first, int end) {
  if (call.sizes.empty()) return std::max(end - first, 0) * call.size_bytes;
  std::int64_t bytes = 0;
  for (int rank = first; rank < end; ++rank)
    bytes += block_bytes(call, rank);
  return bytes;
}
/// Bytes of `count` blocks from the first one on, past the last to rank 0 if need be.
constexpr std::int64_t blocks_bytes_around(const Call& call, int first, int count) {
  const int last = std::min(first + count, call.ranks);
  return blocks_bytes(call, first, last) + blocks_bytes(call, 0, first + count - last);
}

/// Bytes that one rank sends to or gets from another in a complete exchange.
constexpr std::int64_t bytes_to(const Call& call, int rank) {
  return call.sizes.empty() ? call.size_bytes : call.sizes[static_cast<std::size_t>(rank)];
}
constexpr std::int64_t bytes_from(const Call& call, int rank) {
  return call.sizes.empty() ? call.size_bytes : call.sizes[static_cast<std::size_t>(call.ranks + rank)];
}

/// A vector cut into as many blocks as there are ranks; the first ones are an element longer than the last.
class EvenBlocks {
 public:
  constexpr EvenBlocks(std::int64_t elements, int blocks)
      : short_(elements / blocks), longer_(static_cast<int>(elements % blocks)) {}
  constexpr std::int64_t operator[](int block) const { return short_ + (block < longer_ ? 1 : 0); }

 private:
  std::int64_t short_;
  int longer_;
};

/// Number of exchanges of a recursive doubling.
constexpr int log2_floor(int ranks) {
  return std::bit_width(static_cast<unsigned>(ranks)) - 1;
}
constexpr int log2_ceil(int ranks) {
  return ranks > 1 ? std::bit_width(static_cast<unsigned>(ranks - 1)) : 0;
}
constexpr bool is_power_of_two(int ranks) {
  return std::has_single_bit(static_cast<unsigned>(ranks));
}

/// The first ranks are folded in pairs until a power of two remains: which rank of a pair keeps the data.
enum class Survivor { even, odd };

/// The largest power of two of ranks takes part in a recursive doubling; of the first 2 * extra ranks, every
/// second one gives its data to its neighbour and waits.
class Fold {
 public:
  constexpr Fold(int ranks, Survivor survivor)
      : size(1 << log2_floor(ranks)), steps(log2_floor(ranks)), extra(ranks - size), survivor_(survivor) {}

  constexpr bool is_folded(int rank) const { return rank < 2 * extra; }
  /// A rank's number among those that take part; -1: it waits.
  constexpr int number(int rank) const {
    if (!is_folded(rank)) return rank - extra;
    return (rank % 2 == 1) == (survivor_ == Survivor::odd) ? rank / 2 : -1;
  }
  constexpr int rank(int number) const {
    if (number >= extra) return number + extra;
    return survivor_ == Survivor::odd ? 2 * number + 1 : 2 * number;
  }
  /// The other of a folded pair.
  constexpr int partner(int rank) const { return rank ^ 1; }

  const int size;   ///< ranks that take part
  const int steps;  ///< its logarithm
  const int extra;

 private:
  Survivor survivor_;
};

}  // namespace finegrain::collectives
