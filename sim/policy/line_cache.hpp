// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

namespace finegrain::policy {

/// What a rank keeps of the memory of one other rank.
struct CacheShape {
  std::int64_t line_bytes = 0;
  std::int64_t lines = 0;    ///< a multiple of `ways`
  std::int64_t ways = 1;     ///< lines in a set; the least recently used one is replaced
  std::int64_t victims = 0;  ///< lines that are kept after they were replaced
  bool writes_back = true;   ///< written bytes wait in their line; otherwise they go to their owner at once
};

/// Which lines of one other rank a rank keeps. Only their numbers are here, not their contents.
/// Source: MuPC: A run time system for Unified Parallel C, section 5.3.
class LineCache {
 public:
  explicit LineCache(const CacheShape& shape) : shape_(shape) {}

  struct Access {
    bool is_hit = false;
    /// A line that was written to and has just left the cache; it goes to its owner.
    std::optional<std::int64_t> written_back = {};
  };
  /// Accesses a line, and brings it in if it is absent. A write, too, first reads an absent line.
  Access access(std::int64_t line, bool writes);

  /// Forgets all lines. @returns those that were written to, ascending
  std::vector<std::int64_t> invalidate();

 private:
  struct Line {
    std::int64_t number;
    bool is_dirty;
  };
  using Set = std::vector<Line>;  ///< the least recently used line first

  /// Takes a line that leaves its set. @returns the line that leaves the cache, if it goes to its owner
  std::optional<std::int64_t> replace(const Line& line);

  CacheShape shape_;
  std::unordered_map<std::int64_t, Set> sets_;
  std::unordered_map<std::int64_t, Line> victims_;  ///< by place: a line can be in one place only
};

}  // namespace finegrain::policy
