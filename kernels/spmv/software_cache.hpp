// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace finegrain::kernels {

/// What a rank keeps of the elements of one other rank.
struct CacheOptions {
  std::int64_t line_bytes = 1024;
  std::int64_t lines = 256;  ///< 0: nothing is kept
  std::int64_t ways = 1;
  std::int64_t victims = 0;
};

/// A run-time system's cache of other ranks' elements, which the program only reads. It has a segment for
/// each rank; a segment holds sets of lines, and lines that were replaced in their sets (victims).
/// Source: MuPC: A run time system for Unified Parallel C, section 5.3.
class SoftwareCache {
 public:
  /// @param own_values  elements of each rank, shape [ranks]
  /// @throws InputError if a line does not hold a whole number of elements, or the lines do not make whole
  /// sets
  SoftwareCache(const CacheOptions& options, std::vector<std::int64_t> own_values);

  /// The element at a place of another rank's part.
  /// @param fetch  called as fetch(first, values) if the line is not in the cache; it brings the owner's
  /// elements from place `first` on
  template <class Fetch>
  double read(int owner, std::int64_t place, Fetch&& fetch) {
    const std::int64_t line = place / line_values_;
    const Found found = find(owner, line);
    const std::int64_t first = line * line_values_;
    if (found.is_hit) {
      ++hits_;
    } else {
      fetch(first, found.values);
    }
    return found.values[static_cast<std::size_t>(place - first)];
  }

  /// Forgets all lines, as happens at a fence.
  void invalidate();
  /// How many reads have found their line in the cache since the last call.
  std::int64_t take_hits() { return std::exchange(hits_, 0); }

 private:
  static constexpr std::int64_t nothing = -1;

  struct Slot {
    std::int64_t line = nothing;
    std::int64_t last_use = 0;
    std::int64_t buffer = 0;  ///< which line of the segment's `values` holds its values
  };
  struct Segment {
    std::int64_t sets = 0;
    std::int64_t ways = 0;
    std::vector<Slot> slots;    ///< shape [sets][ways]
    std::vector<Slot> victims;  ///< a line's place follows from its number
    std::vector<double> values;
  };
  struct Found {
    bool is_hit;
    std::span<double> values;  ///< the whole line's, as many as the owner has
  };

  Found find(int owner, std::int64_t line);
  Segment make_segment(int owner) const;
  std::span<double> values_of(Segment& segment, int owner, const Slot& slot) const;

  CacheOptions options_;
  std::int64_t line_values_;
  std::vector<std::int64_t> own_values_;
  std::vector<Segment> segments_;  ///< shape [ranks]; empty until the rank's first element is read
  std::int64_t clock_ = 0;         ///< reads so far
  std::int64_t hits_ = 0;
};

}  // namespace finegrain::kernels
