// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace finegrain::pattern {

/// Strips never cross a multiple of this many elements, so that a panel of them is one thread's work and what
/// is known of its elements fits into a core's cache.
inline constexpr std::uint32_t panel_length = std::int64_t{1} << 15;

/// The elements 0 ... n-1 cut into strips: stretches of elements that each of several BLOCKSIZEs keeps in one
/// block. What is known of strips is then true of blocks of any of these sizes.
class Strips {
 public:
  /// @pre 1 <= n < 2^31, block_sizes >= 1
  Strips(std::int64_t n, std::span<const std::int64_t> block_sizes);

  std::int64_t elements() const { return begins_.back(); }
  std::size_t count() const { return begins_.size() - 1; }
  std::int32_t begin(std::size_t strip) const { return begins_[strip]; }
  std::int32_t end(std::size_t strip) const { return begins_[strip + 1]; }

  std::size_t panels() const { return first_strips_.size() - 1; }
  /// The first strip of a panel; for the panel after the last one, count().
  std::size_t first_strip(std::size_t panel) const { return first_strips_[panel]; }

 private:
  std::vector<std::int32_t> begins_;       ///< where each strip begins, and n; shape [count + 1]
  std::vector<std::size_t> first_strips_;  ///< shape [panels + 1]
};

}  // namespace finegrain::pattern
