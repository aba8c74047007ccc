// SPDX-License-Identifier: MIT
#include "kernels/spmv/software_cache.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "traces/io/input_error.hpp"

namespace finegrain::kernels {

SoftwareCache::SoftwareCache(const CacheOptions& options, std::vector<std::int64_t> own_values)
    : options_(options),
      line_values_(options.line_bytes / static_cast<std::int64_t>(sizeof(double))),
      own_values_(std::move(own_values)),
      segments_(own_values_.size()) {
  if (options.line_bytes % static_cast<std::int64_t>(sizeof(double)) != 0)
    throw InputError("--line", fmt::format("{} B are no whole doubles", options.line_bytes),
                     "Give a multiple of 8");
  if (options.lines % options.ways != 0)
    throw InputError("--lines", fmt::format("{} lines are no sets of {} ways", options.lines, options.ways),
                     "Give a multiple of the ways");
}

SoftwareCache::Segment SoftwareCache::make_segment(int owner) const {
  // Sets, lines in a set, or victims beyond the number of the owner's lines would stay empty.
  const std::int64_t lines = (own_values_[static_cast<std::size_t>(owner)] + line_values_ - 1) / line_values_;
  Segment segment;
  segment.sets = std::min(options_.lines / options_.ways, lines);
  segment.ways = std::min(options_.ways, lines);
  segment.slots.resize(static_cast<std::size_t>(segment.sets * segment.ways));
  segment.victims.resize(static_cast<std::size_t>(std::min(options_.victims, lines)));
  std::int64_t buffers = 0;
  for (std::vector<Slot>* slots : {&segment.slots, &segment.victims})
    for (Slot& slot : *slots)
      slot.buffer = buffers++;
  segment.values.resize(static_cast<std::size_t>(buffers * line_values_));
  return segment;
}

std::span<double> SoftwareCache::values_of(Segment& segment, int owner, const Slot& slot) const {
  const std::int64_t rest = own_values_[static_cast<std::size_t>(owner)] - slot.line * line_values_;
  return {segment.values.data() + slot.buffer * line_values_,
          static_cast<std::size_t>(std::min(rest, line_values_))};
}

SoftwareCache::Found SoftwareCache::find(int owner, std::int64_t line) {
  Segment& segment = segments_[static_cast<std::size_t>(owner)];
  if (segment.slots.empty()) segment = make_segment(owner);
  ++clock_;
  const std::span<Slot> set(segment.slots.data() + line % segment.sets * segment.ways,
                            static_cast<std::size_t>(segment.ways));
  const auto found = std::ranges::find(set, line, &Slot::line);
  bool is_hit = found != set.end();
  // An empty slot counts as the least recently used: its last use is 0.
  Slot& slot = is_hit ? *found : *std::ranges::min_element(set, {}, &Slot::last_use);
  if (!is_hit && !segment.victims.empty()) {
    const auto place_of = [&](std::int64_t number) -> Slot& {
      return segment.victims[static_cast<std::size_t>(number) % segment.victims.size()];
    };
    if (Slot& victim = place_of(line); victim.line == line) {
      is_hit = true;
      std::swap(slot, victim);
      if (Slot& place = place_of(victim.line); &place != &victim) {
        std::swap(place, victim);
        victim.line = nothing;
      }
    } else if (slot.line != nothing) {
      std::swap(slot, place_of(slot.line));
    }
  }
  slot.line = line;
  slot.last_use = clock_;
  return {is_hit, values_of(segment, owner, slot)};
}

void SoftwareCache::invalidate() {
  for (Segment& segment : segments_)
    for (std::vector<Slot>* slots : {&segment.slots, &segment.victims})
      for (Slot& slot : *slots)
        slot = {.buffer = slot.buffer};
}

}  // namespace finegrain::kernels
