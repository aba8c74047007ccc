// SPDX-License-Identifier: MIT
//
// Pattern "coalesce": words at small irregular strides (Zhang & Seidel 2006, section 3.2). Strides of 1 to 8
// are assumed. The array lies on the next rank.
#include <algorithm>

#include "sim/pattern/microbenchmark.hpp"

namespace finegrain::pattern {

const PatternKind& coalesce_pattern() {
  static const auto kind =
      microbenchmark_kind({.name = "coalesce",
                           .order = 8,
                           .help = "words of the next rank at strides of 1 to 8",
                           .words_of = [](const Run& run, int rank, std::int64_t accesses, std::int64_t words,
                                          const std::function<void(Word)>& visit) {
                             RankRandom random(rank);
                             std::int64_t word = random.below(words);
                             for (std::int64_t i = 0; i < accesses; ++i) {
                               visit({static_cast<std::int32_t>((rank + 1) % std::max(run.ranks, 2)), word});
                               word = (word + 1 + random.below(8)) % words;
                             }
                           }});
  return *kind;
}

}  // namespace finegrain::pattern
