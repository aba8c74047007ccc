// SPDX-License-Identifier: MIT
//
// Pattern "baseline": random words of random other ranks, so that no accesses can be combined (Zhang & Seidel
// 2006, section 3.2).
#include <algorithm>

#include "sim/pattern/microbenchmark.hpp"

namespace finegrain::pattern {

const PatternKind& baseline_pattern() {
  static const auto kind =
      microbenchmark_kind({.name = "baseline",
                           .order = 6,
                           .help = "random words of random other ranks",
                           .words_of = [](const Run& run, int rank, std::int64_t accesses, std::int64_t words,
                                          const std::function<void(Word)>& visit) {
                             RankRandom random(rank);
                             for (std::int64_t i = 0; i < accesses; ++i) {
                               const std::int64_t other = run.ranks > 1 ? random.below(run.ranks - 1) : 0;
                               visit({static_cast<std::int32_t>((rank + 1 + other) % std::max(run.ranks, 2)),
                                      random.below(words)});
                             }
                           }});
  return *kind;
}

}  // namespace finegrain::pattern
