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
  std::int64_t ways = 1;     ///< lines of a set, of which the one that was used longest ago is replaced
  std::int64_t victims = 0;  ///< lines that are kept after they were replaced
  bool writes_back = true;   ///< what is written waits in its line; else it goes to its owner at once
};

/// The lines of one other rank that a rank keeps, by their numbers; not what is in them.
/// Source: MuPC: A run time system for Unified Parallel C, section 5.3.
class LineCache {
 public:
  explicit LineCache(const CacheShape& shape) : shape_(shape) {}

  struct Access {
    bool is_hit = false;
    /// A line that was written to, has now left the cache, and goes to its owner.
    std::optional<std::int64_t> written_back = {};
  };
  /// Brings the line in where it is not there. Writes also read the line first.
  Access access(std::int64_t line, bool writes);

  /// Forgets all lines. @returns those that were written to, ascending
  std::vector<std::int64_t> invalidate();

 private:
  struct Line {
    std::int64_t number;
    bool is_dirty;
  };
  using Set = std::vector<Line>;  ///< the one first that was used longest ago

  /// A line leaves its set. @returns the one that leaves the cache, if it goes to its owner
  std::optional<std::int64_t> replace(const Line& line);

  CacheShape shape_;
  std::unordered_map<std::int64_t, Set> sets_;
  std::unordered_map<std::int64_t, Line> victims_;  ///< by their places: each line has one
};

}  // namespace finegrain::policy
