// SPDX-License-Identifier: MIT
#include "sim/policy/line_cache.hpp"

#include <algorithm>
#include <utility>

namespace finegrain::policy {

LineCache::Access LineCache::access(std::int64_t line, bool writes) {
  const bool makes_dirty = writes && shape_.writes_back;
  Set& set = sets_[line % (shape_.lines / shape_.ways)];
  if (const auto found = std::ranges::find(set, line, &Line::number); found != set.end()) {
    std::rotate(found, found + 1, set.end());
    set.back().is_dirty = set.back().is_dirty || makes_dirty;
    return {.is_hit = true};
  }
  Line entering{line, makes_dirty};
  Access access;
  if (shape_.victims > 0) {
    const auto kept = victims_.find(line % shape_.victims);
    if (kept != victims_.end() && kept->second.number == line) {
      access.is_hit = true;
      entering.is_dirty = entering.is_dirty || kept->second.is_dirty;
      victims_.erase(kept);
    }
  }
  if (std::cmp_equal(set.size(), shape_.ways)) {
    access.written_back = replace(set.front());
    set.erase(set.begin());
  }
  set.push_back(entering);
  return access;
}

std::optional<std::int64_t> LineCache::replace(const Line& line) {
  Line leaving = line;
  if (shape_.victims > 0) {
    const auto [place, is_free] = victims_.try_emplace(line.number % shape_.victims, line);
    if (is_free) return std::nullopt;
    leaving = std::exchange(place->second, line);
  }
  return leaving.is_dirty ? std::optional(leaving.number) : std::nullopt;
}

std::vector<std::int64_t> LineCache::invalidate() {
  std::vector<std::int64_t> written;
  for (const auto& [number, set] : sets_)
    for (const Line& line : set)
      if (line.is_dirty) written.push_back(line.number);
  for (const auto& [place, line] : victims_)
    if (line.is_dirty) written.push_back(line.number);
  std::ranges::sort(written);
  sets_.clear();
  victims_.clear();
  return written;
}

}  // namespace finegrain::policy
