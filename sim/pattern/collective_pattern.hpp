// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "sim/pattern/pattern.hpp"

namespace finegrain::pattern {

/// A pattern whose ranks exchange data only by collective operations.
class CollectivePattern : public Pattern {
 public:
  Work work(const Run& run, int rank, int stage) const override {
    const CollectiveStage of_rank =
        collective_stages(run)[static_cast<std::size_t>(rank)][static_cast<std::size_t>(stage)];
    return {of_rank.before.memory_bytes + of_rank.after.memory_bytes};
  }
  int fences() const override { return 0; }
  bool uses_private_memory() const override { return false; }
  std::vector<StageExchange> exchanges(const Run& /*run*/,
                                       std::span<const RankCounts> /*counts*/) const override {
    return {};
  }
};

/// The kind of such a pattern. It takes a problem size and no other settings.
class CollectivePatternKind : public PatternKind {
 public:
  bool is_file() const override { return false; }
  std::vector<Parameter> parameters() const override { return {}; }
  bool has_accesses() const override { return false; }
  bool overlaps() const override { return false; }
  std::vector<Transfer> transfers() const override { return {Transfer::two_sided}; }
};

}  // namespace finegrain::pattern
